/** Which columns a table shows, in which order: as the URL says, else as the user left them, else as the report declares. */
import { useEffect, useMemo } from 'preact/hooks'
import type { Flat } from '../catalogue.js'
import { place, setQuery } from '../location.js'
import { type Arrangement, arrangementOf } from '../preferences.js'

/** In the URL in place of the names of all fields. */
const ALL = 'all'

export interface Columns {
  /** In their order, the pinned columns first. */
  readonly shown: readonly Flat[]
  /** The columns that the user pinned; without it, the first column is pinned. */
  readonly pins: readonly string[] | undefined
  isPinned(name: string): boolean
  readonly widths: Readonly<Record<string, number>>
  /** Shows these columns in this order. */
  show(names: readonly string[]): void
  pin(name: string, pinned: boolean): void
  setWidth(name: string, width: number): void
  /** As the report declares them. */
  reset(): void
}

const NONE: Arrangement = { widths: {} }

export function useColumns(name: string, columns: readonly Flat[]): Columns {
  const remembered = arrangementOf(name)
  const { query } = place.value
  // Groups and comparisons have other columns than the report.
  const isDerived = query.has('group') || query.has('compare')
  const arrangement = remembered.value ?? NONE
  const given = query.get('fields')
  const chosen = given ?? (isDerived ? undefined : arrangement.fields?.join())
  const declared = useMemo(() => columns.filter(({ isFirst }) => isFirst).map((flat) => flat.name), [columns])
  const names = chosen === ALL ? columns.map((flat) => flat.name) : (chosen?.split(',') ?? declared)
  const pinned = arrangement.pinned
  const asked = JSON.stringify([names, pinned])
  const shown = useMemo(() => arranged(columns, names, pinned), [columns, asked])
  // The URL has the whole view, so that a saved view keeps the columns too.
  useEffect(() => {
    if (given === null && chosen !== undefined) setQuery({ fields: chosen }, { replace: true })
  }, [name, given, chosen])
  const isPinned = (one: string) => (pinned === undefined ? one === shown[0]?.name : pinned.includes(one))
  const remember = (change: Partial<Arrangement>) => {
    remembered.value = { ...arrangement, ...change }
  }
  return {
    shown,
    pins: pinned,
    isPinned,
    widths: arrangement.widths,
    show(fields) {
      if (fields.length === 0) return
      if (!isDerived) remember({ fields })
      setQuery({ fields: fields.join() }, { replace: true })
    },
    pin(one, on) {
      const now = pinned ?? shown.slice(0, 1).map((flat) => flat.name)
      remember({ pinned: on ? [...now, one] : now.filter((other) => other !== one) })
    },
    setWidth(one, width) {
      remember({ widths: { ...arrangement.widths, [one]: Math.max(48, Math.round(width)) } })
    },
    reset() {
      remembered.value = undefined
      setQuery({ fields: undefined }, { replace: true })
    },
  }
}

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
  { shown, pins = [] }: Pick<Columns, 'shown' | 'pins'>,
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
