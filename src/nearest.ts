/** Suggests the known names closest to a mistyped one. */

/**
 * ` (did you mean X?)`, with up to `most` names, or an empty text if no name is close. A name may have several spellings.
 */
export function nearest(
  wrong: string,
  known: readonly string[],
  most = 1,
  spellings: (name: string) => readonly string[] = (name) => [name],
): string {
  const clean = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '_')
  const close = known
    .flatMap((name) => {
      const found = spellings(name).map((text) => ({ name, text, steps: distance(clean(wrong), clean(text)) }))
      return found.sort((a, b) => a.steps - b.steps).slice(0, 1)
    })
    .sort((a, b) => a.steps - b.steps)
    .slice(0, most)
    .filter(
      ({ text, steps }) => steps <= Math.max(2, text.length / 3) && 2 * steps <= Math.max(text.length, wrong.length),
    )
  return close.length === 0 ? '' : ` (did you mean ${close.map(({ name }) => name).join(' or ')}?)`
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
