/** Which columns a table shows, in which order. */
import type { Flat } from '../catalogue.js'
import type { Arrangement } from '../preferences.js'

/** The default columns: hides members of nested objects, except names, and figures that another one replaces. */
export const initialArrangement = (columns: readonly Flat[], keyFields: readonly string[]): Arrangement => {
  const named = columns.filter(({ name }) => keyFields.includes(name))
  const first = (named.find(({ column }) => column.kind === 'text') ?? named[0] ?? columns[0])?.name
  const deep = columns.filter(
    ({ path, name }) => path.length > 1 && !keyFields.includes(name) && !/name|vendor$/.test(name),
  )
  // The margin of what was delivered is shown, not the one that counts undelivered goods as sold without cost.
  const names = columns.map(({ name }) => name)
  const replaced = names.filter((name) => names.includes(`delivered_${name}`))
  return {
    hidden: [...deep.map(({ name }) => name), ...replaced],
    pinned: first === undefined ? [] : [first],
    widths: {},
  }
}

/** Pinned columns first, then the rest of the key and lines, which would otherwise be far right; without hidden columns. */
export function arranged(
  columns: readonly Flat[],
  { hidden, pinned }: Arrangement,
  keyFields: readonly string[],
): Flat[] {
  const shown = columns.filter(({ name }) => !hidden.includes(name) || pinned.includes(name))
  const rank = ({ name, column }: Flat) =>
    pinned.includes(name) ? 0 : keyFields.includes(name) ? 1 : column.kind === 'lines' ? 2 : 3
  return shown.length === 0 ? columns.slice(0, 1) : shown.sort((a, b) => rank(a) - rank(b))
}
