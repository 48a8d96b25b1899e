/** The order of a table's columns. */
import type { Flat } from '../catalogue.js'

/** These columns, the pinned ones first. Names that no column has are left out; without any other name, the first column is shown. */
export function arranged(
  columns: readonly Flat[],
  names: readonly string[],
  pinned: readonly string[] | undefined,
): readonly Flat[] {
  const byName = new Map(columns.map((flat) => [flat.name, flat]))
  const found = [...new Set(names)].flatMap((name) => byName.get(name) ?? [])
  if (found.length === 0) return columns.slice(0, 1)
  const isPinned = ({ name }: Flat) => pinned?.includes(name) === true
  return [...found.filter(isPinned), ...found.filter((flat) => !isPinned(flat))]
}

/** The names after the column at `from` has moved to the place `to`; pinned columns stay before the others. */
export function movedTo(
  { shown, pins = [] }: { readonly shown: readonly Flat[]; readonly pins?: readonly string[] | undefined },
  from: number,
  to: number,
): readonly string[] {
  const names = shown.map(({ name }) => name)
  const moved = names[from]
  if (moved === undefined) return names
  const others = names.filter((name) => name !== moved)
  others.splice(Math.max(0, Math.min(others.length, to)), 0, moved)
  const rank = (name: string) => (pins.includes(name) ? 0 : 1)
  return others.sort((a, b) => rank(a) - rank(b))
}
