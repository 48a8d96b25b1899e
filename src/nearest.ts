/** Suggests the known name closest to a mistyped one. */

/** ` (did you mean X?)`, or an empty text if no name is close. */
export function nearest(wrong: string, known: readonly string[]): string {
  const clean = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '_')
  const [best] = known
    .map((name) => ({ name, steps: distance(clean(wrong), clean(name)) }))
    .sort((a, b) => a.steps - b.steps)
  const isClose = (best: { name: string; steps: number }) =>
    best.steps <= Math.max(2, best.name.length / 3) && 2 * best.steps <= Math.max(best.name.length, wrong.length)
  return best !== undefined && isClose(best) ? ` (did you mean ${best.name}?)` : ''
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (next[j - 1] as number) + 1,
        (row[j] as number) + 1,
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      )
    row = next
  }
  return row[b.length] as number
}
