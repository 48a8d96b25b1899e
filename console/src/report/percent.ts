/** A change in percent, for people: one digit, from the exact numbers. */

/** `+12.5 %`; undefined if there was nothing before. */
export function percentOf(change: string, before: string): string | undefined {
  const [a, b] = [Number(change), Number(before)]
  if (b === 0 || !Number.isFinite(a / b)) return undefined
  const percent = (a / Math.abs(b)) * 100
  const text = Math.abs(percent) >= 1000 ? Math.round(percent).toLocaleString('en') : percent.toFixed(1)
  return `${percent < 0 ? '−' : '+'}${text.replace('-', '')} %`
}
