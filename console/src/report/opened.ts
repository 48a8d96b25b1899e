/** The record whose panel is open: a link has its key, and its position as a hint. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { allRows, type Rows } from '../ask.js'
import { type CatalogueReport, type KeyPart, keyOf, type Row } from '../catalogue.js'
import { goBack, isOver, setQuery } from '../location.js'
import { literal } from './filters.js'
import { pastOf } from './known-words.js'
import type { ReportView } from './view.js'

interface Opened {
  /** Position in the table; undefined if it is not known, or nothing is open. */
  readonly index: Signal<number | undefined>
  /** Undefined if nothing is open. While the page of the next record is being fetched, the previous record. */
  readonly row: Row | undefined
  open(index: number): void
  close(): void
}

/** Records that may share a visible key. */
const ALIKE = 500

export function useOpened(
  report: CatalogueReport,
  { values, view, row: opened, at }: ReportView,
  rows: Rows,
  key: readonly KeyPart[],
): Opened {
  const index = useSignal<number | undefined>(undefined)
  const linked = useSignal<{ key: string; row: Row } | undefined>(undefined)
  /** A row that was opened before its page arrived. */
  const pending = useRef<number | undefined>(undefined)
  const tried = useRef('')
  const last = useRef<Row | undefined>(undefined)
  const total = rows.total.value

  const write = (at: number, row: Row) => {
    pending.current = undefined
    tried.current = keyOf(row, key)
    // The back button closes the panel, however many records it has shown.
    const going = opened === undefined ? { over: true } : { replace: true, over: isOver() }
    setQuery({ ...values, row: keyOf(row, key), at: String(at + 1) }, going)
  }
  useEffect(() => {
    if (total === undefined) return
    if (pending.current !== undefined) {
      const row = rows.row(pending.current)
      if (row !== undefined) write(pending.current, row)
      return
    }
    if (opened === undefined) {
      index.value = undefined
      return
    }
    const here = index.value === undefined ? undefined : rows.row(index.value)
    if (index.value !== undefined && index.value < total && (here === undefined || keyOf(here, key) === opened)) return
    // First at the position in the link: records that look the same differ in their positions only.
    if (at !== undefined && at < total && tried.current !== opened) {
      tried.current = opened
      index.value = at
      return
    }
    index.value = rows.find((row) => keyOf(row, key) === opened)
    if (index.value !== undefined || linked.value?.key === opened) return
    const controller = new AbortController()
    allRows(
      report,
      values,
      { filter: filtersByKey(opened, key), ...pastOf(view) },
      { most: ALIKE, signal: controller.signal },
    ).then(
      (found) => {
        const row = found.rows.find((one) => keyOf(one, key) === opened)
        if (row !== undefined) linked.value = { key: opened, row }
      },
      () => {}, // the table works without it
    )
    return () => controller.abort()
  }, [opened, rows, rows.revision.value, total, index.value])

  const isOpen = opened !== undefined || pending.current !== undefined || index.value !== undefined
  const found =
    index.value !== undefined
      ? rows.row(index.value)
      : linked.value !== undefined && linked.value.key === opened
        ? linked.value.row
        : undefined
  // The record at the hint is not shown until it is known to be the record of the link.
  const isHint = pending.current === undefined && found !== undefined && keyOf(found, key) !== opened
  if (!isOpen) last.current = undefined
  else if (found !== undefined && !isHint) last.current = found

  return {
    index,
    row: isOpen ? last.current : undefined,
    open(at) {
      const row = rows.row(at)
      index.value = at
      if (row !== undefined) return write(at, row)
      pending.current = at
      rows.need(at, at)
    },
    close() {
      pending.current = undefined
      index.value = undefined
      if (isOver()) goBack()
      else setQuery({ ...values, row: undefined, at: undefined }, { replace: true })
    },
  }
}

/** Filters that match only records with this key, as far as the records show it. */
function filtersByKey(text: string, key: readonly KeyPart[]): string[] {
  try {
    const values = JSON.parse(text) as unknown[]
    return key
      .flatMap(({ path }) => (path === undefined ? [] : [path.join('.')]))
      .map((name, at) => `${name}=${literal(String(values[at] ?? ''))}`)
  } catch {
    return ['='] // no key: nothing matches
  }
}
