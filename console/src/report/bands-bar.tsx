/** The shares of bands as one bar, in place of the number of lines. */
import type { JSX } from 'preact'
import type { Row } from '../catalogue.js'

export const areBands = (lines: unknown): lines is readonly Row[] =>
  Array.isArray(lines) && lines.length > 0 && 'from_days' in lines[0] && 'qty' in lines[0]

/** `0–30 days`, `over 180 days` */
export const bandInWords = (from: number, to: number | null): string =>
  to === null ? `over ${from - 1} days` : `${from}–${to} days`

export function BandsBar({ lines }: { lines: readonly Row[] }): JSX.Element {
  const shares = lines.map(({ qty }) => Math.max(0, Number(qty)))
  const all = shares.reduce((sum, share) => sum + share, 0)
  const words = lines
    .map(({ from_days, to_days }, at) => {
      const percent = all === 0 ? 0 : ((shares[at] as number) / all) * 100
      return percent === 0
        ? ''
        : `${bandInWords(Number(from_days), to_days === null ? null : Number(to_days))} ${percent < 1 ? '<1' : percent.toFixed(0)} %`
    })
    .filter(Boolean)
    .join(', ')
  if (all === 0) return <span class="absent">–</span>
  return (
    <span class="bands" role="img" aria-label={words} title={words}>
      {shares.map((share, at) =>
        share === 0 ? null : (
          <span
            key={at}
            style={{ flexGrow: share, opacity: shares.length === 1 ? 1 : 0.25 + (0.75 * at) / (shares.length - 1) }}
          />
        ),
      )}
    </span>
  )
}
