/** Which columns a table shows, in which order. */
import type { Flat } from '../catalogue.js'
import type { Arrangement } from '../preferences.js'

/** The default columns: the fields that the report declares for people, the first of them pinned. */
export const initialArrangement = (columns: readonly Flat[]): Arrangement => ({
  hidden: columns.filter(({ isFirst }) => !isFirst).map(({ name }) => name),
  pinned: columns.slice(0, 1).map(({ name }) => name),
  widths: {},
})

/** Pinned columns first, without hidden columns. */
export function arranged(columns: readonly Flat[], { hidden, pinned }: Arrangement): Flat[] {
  const shown = columns.filter(({ name }) => !hidden.includes(name) || pinned.includes(name))
  const rank = ({ name }: Flat) => (pinned.includes(name) ? 0 : 1)
  return shown.length === 0 ? columns.slice(0, 1) : shown.sort((a, b) => rank(a) - rank(b))
}
