/** Which columns a table shows, in which order: as the URL says, else as the user left them, else as the report declares. */
import { useEffect, useMemo } from 'preact/hooks'
import type { Flat } from '../catalogue.js'
import { type Arrangement, arrangementOf } from '../preferences.js'
import { arranged } from './arranged.js'

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

/** Where the chosen columns are kept. */
export interface KeptIn {
  /** As in the URL: names with commas between them. */
  readonly fields: string | undefined
  readonly onFields: (fields: string | undefined) => void
  /** Whether the columns that the user has left are not theirs: of groups, of a comparison, of a saved view. */
  readonly isDerived: boolean
}

/** Columns that nobody chooses. */
export const fixedColumns = (
  shown: readonly Flat[],
  pins: readonly string[],
  widths: Columns['widths'] = {},
): Columns => ({
  ...{ shown, pins, widths },
  isPinned: (name) => pins.includes(name),
  show() {},
  pin() {},
  setWidth() {},
  reset() {},
})

export function useColumns(
  name: string,
  columns: readonly Flat[],
  { fields: given, onFields, isDerived }: KeptIn,
): Columns {
  const remembered = arrangementOf(name)
  const arrangement = remembered.value ?? NONE
  const chosen = given ?? (isDerived ? undefined : arrangement.fields?.join())
  const declared = useMemo(() => columns.filter(({ isFirst }) => isFirst).map((flat) => flat.name), [columns])
  const names = chosen === ALL ? columns.map((flat) => flat.name) : (chosen?.split(',') ?? declared)
  const pinned = arrangement.pinned
  const asked = JSON.stringify([names, pinned])
  const shown = useMemo(() => arranged(columns, names, pinned), [columns, asked])
  // The URL has the whole view, so that a saved view keeps the columns too.
  useEffect(() => {
    if (given === undefined && chosen !== undefined) onFields(chosen)
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
      onFields(fields.join())
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
      onFields(undefined)
    },
  }
}
