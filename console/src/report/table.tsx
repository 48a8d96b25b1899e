/** A table over any number of rows: only the rows in view are drawn, and their pages fetched. */
import { type Signal, useSignal } from '@preact/signals'
import { Fragment, type JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Rows } from '../ask.js'
import { type Flat, isNumeric, type Row, valueIn } from '../catalogue.js'
import { differenceOf } from '../differences.js'
import { counted } from '../labels.js'
import { keepScroll, keptScroll } from '../location.js'
import { grouped } from '../numbers.js'
import { copyText } from '../parts/copy.js'
import { useLasting } from '../parts/states.js'
import { compact, grouping } from '../preferences.js'
import { CARD_HEIGHT, CARDS_BELOW, CardSort, cardFields } from './cards.js'
import type { Columns } from './columns.js'
import { type Cursor, HEADER, moved, rangeOf } from './cursor.js'
import { DIFFERENCE_CARD_HEIGHT, DIFFERENCE_HEIGHT, DifferenceHead, DifferenceTotals } from './differences.js'
import type { Look } from './look.js'
import { rawValue, tabSeparated } from './raw.js'
import { sumsLabel } from './sums.js'
import { TableHead } from './table-head.js'
import { TableRow, TotalsRow, Unfolded } from './table-row.js'
import { firstNeed, NARROWEST, type Need, widen, widthsOf } from './widths.js'
import { scrollTo, windowOf } from './window.js'

interface Props {
  /** For screen readers. */
  label: string
  /** The columns that are shown, and their order. */
  chosen: Columns
  /** Never as cards: the columns are many of one kind. */
  isWide?: boolean
  /** Report, values and view as text; newer rows of the same question keep the scroll position. */
  question: string
  rows: Rows
  columns: readonly Flat[]
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onFilter: (field: string) => void
  /** Index of the row whose panel is open. */
  selected: Signal<number | undefined>
  onOpen: (index: number, field?: string) => void
  canDrill: (column: Flat) => boolean
}

const TOP: Cursor = { row: 0, column: 0 }

export function Table(props: Props): JSX.Element {
  const { chosen, isWide = false, rows, columns, sort, onSort, selected, onOpen, canDrill } = props
  const scroller = useRef<HTMLDivElement>(null)
  const scrolled = useSignal({ top: 0, height: 600, width: 800 })
  const unfolded = useSignal<ReadonlyMap<number, number>>(new Map())
  const cursor = useSignal<Cursor>(TOP)
  // Before the first layout the width is not known.
  const isCard = !isWide && scrolled.value.width > 0 && scrolled.value.width < CARDS_BELOW
  const areDifferences = rows.changed.value !== undefined
  const shown = isCard && !areDifferences ? cardFields(chosen.shown, columns, sort) : chosen.shown
  const heights = areDifferences ? [DIFFERENCE_CARD_HEIGHT, DIFFERENCE_HEIGHT] : [CARD_HEIGHT, compact.value ? 28 : 32]
  const rowHeight = heights[isCard ? 0 : 1] as number
  const total = rows.total.value ?? 0
  void rows.revision.value
  const waits = useLasting(rows.total.value === undefined && rows.failure.value === undefined, 150)

  // If a load came between both requests, the sums have another version and do not belong under these rows.
  const totals = rows.totals.value?.version === rows.version.value ? rows.totals.value?.row : undefined
  const totalsLabel = sumsLabel(totals, total)
  const needs = useMemo(() => {
    const sample = Array.from({ length: Math.min(total, 60) }, (_, i) => rows.row(i)).filter((row) => row !== undefined)
    return new Map(
      [...columns, ...chosen.shown].map((flat): [string, Need] => [flat.name, needOf(flat, withBefore(sample))]),
    )
  }, [columns, rows, rows.total.value === undefined, rows.changed.value])
  const layout = { count: total || (waits ? 20 : 0), rowHeight, unfolded: unfolded.value }
  const { top: scrollTop, height: viewHeight } = scrolled.value
  const seen = windowOf(layout, scrollTop, viewHeight)
  const indexes = Array.from({ length: Math.max(0, seen.last - seen.first + 1) }, (_, at) => seen.first + at)
  const inView = indexes.map((index) => rows.row(index)).filter((row) => row !== undefined)
  // The values of differences that did not change arrive after the others.
  for (const flat of shown.filter(({ column }) => areDifferences || isNumeric(column))) {
    const need = needs.get(flat.name)
    if (need !== undefined) widen(need, flat, withBefore(inView))
  }
  const widths = widthsOf(shown, needs, {
    ...{ set: chosen.widths, totals, label: areDifferences ? '' : totalsLabel },
    view: scrolled.value.width,
  })
  const isPinned = ({ name }: Flat) => chosen.isPinned(name)
  const lastPinned = shown.filter(isPinned).length - 1
  const look: Look = {
    ...widths,
    shown,
    sticky: (at) => (isPinned(shown[at] as Flat) ? { position: 'sticky', left: `${widths.lefts[at]}px` } : {}),
    cellClass: (flat, at) =>
      ['cell', isNumeric(flat.column) && 'right', isPinned(flat) && 'pinned', at === lastPinned && 'edge']
        .filter(Boolean)
        .join(' '),
    digits: ({ name }) => (isCard ? 0 : (needs.get(name)?.digits ?? 0)),
    isCard,
  }

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      scrolled.value = { top: element.scrollTop, height: element.clientHeight, width: element.clientWidth }
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [scrolled])
  // A layout effect, so that it runs before the next key arrives: the focused row may no longer be drawn.
  const follows = useRef(false)
  useLayoutEffect(() => {
    if (follows.current) focusCell(scroller.current, cursor.value)
    follows.current = false
  })
  useEffect(() => {
    rows.need(seen.first, Math.max(seen.last, 0))
  })
  // Another question starts at the top, or where it was left when the user comes back to it.
  const returnTo = useRef<number | undefined>(undefined)
  useEffect(() => {
    returnTo.current = keptScroll('table')
    scroller.current?.scrollTo({ top: 0 })
    unfolded.value = new Map()
    cursor.value = TOP
  }, [props.question])
  useEffect(() => {
    const top = returnTo.current
    if (top === undefined || total === 0) return
    returnTo.current = undefined
    scroller.current?.scrollTo({ top })
  }, [props.question, total === 0])
  // The panel can move to records that are not in view.
  useEffect(() => {
    const row = selected.value
    if (row === undefined || total === 0) return
    show(row)
    if (cursor.peek().row !== row) cursor.value = { row, column: cursor.peek().column }
  }, [selected.value, total === 0])

  const show = (row: number) => {
    const element = scroller.current
    if (element === null || row < 0) return
    // The header and the totals cover these.
    const covered = [...element.querySelectorAll<HTMLElement>(':scope > :is(.head, .totals)')]
    const around = covered.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0)
    const to = scrollTo(layout, row, element.scrollTop, element.clientHeight - around)
    if (to !== undefined) element.scrollTo({ top: to })
  }
  const unfold = (row: number, flat: Flat) => {
    const next = new Map(unfolded.value)
    if (next.has(row)) next.delete(row)
    else {
      const found = rows.row(row)
      const lines = found === undefined ? [] : (valueIn(found, flat.path) as unknown[])
      next.set(row, Math.min(320, (lines.length + 1) * 28 + 17))
    }
    unfolded.value = next
  }
  const copy = () => {
    const { first, last } = rangeOf(cursor.value)
    const cells: string[][] = []
    let missing = 0
    for (let at = first.row; at <= last.row; at++) {
      const row = rows.row(at)
      if (row === undefined) missing++
      else cells.push(shown.slice(first.column, last.column + 1).map((flat) => rawValue(row, flat)))
    }
    const what = counted(grouped(String(cells.length), grouping.value), 'row')
    const rest = missing === 0 ? '' : `; ${grouped(String(missing), grouping.value)} not fetched yet: Export has all`
    void copyText(tabSeparated(cells), cursor.value.from === undefined ? 'Copied' : `Copied ${what}${rest}`)
  }
  const moveTo = (next: Cursor) => {
    cursor.value = next
    show(next.row)
    if (selected.value !== undefined && next.row >= 0 && next.from === undefined) onOpen(next.row)
    follows.current = true
  }
  const keys = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    if (target.closest('.popover,.unfolded')) return
    const inHead = target.closest('.head') !== null
    const { row, column } = cursor.value
    if (inHead && (event.key === 'ArrowRight' || event.key === 'ArrowLeft')) {
      const buttons = [...(scroller.current?.querySelectorAll<HTMLElement>('.head button') ?? [])]
      const next = buttons[buttons.indexOf(target) + (event.key === 'ArrowRight' ? 1 : -1)]
      event.preventDefault()
      next?.focus()
      return
    }
    const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 3)
    const to = moved(cursor.value, event, { rows: total, columns: shown.length, page })
    if (to !== undefined && to.row === HEADER && areDifferences) {
      event.preventDefault() // their header has nothing to press
    } else if (to !== undefined) {
      event.preventDefault()
      moveTo(to)
    } else if (inHead) {
      return // buttons in the row handle the key
    } else if (event.key === ' ' && event.shiftKey) {
      event.preventDefault()
      moveTo({ row, column: shown.length - 1, from: { row, column: 0 } })
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      const flat = shown[column]
      if (flat?.column.kind === 'lines' && !areDifferences) unfold(row, flat)
      else onOpen(row, flat && canDrill(flat) ? flat.name : undefined)
    } else if (event.key === 'Escape' && cursor.value.from !== undefined) {
      event.preventDefault()
      cursor.value = { row, column }
    } else if (event.key === 'c' && (event.ctrlKey || event.metaKey) && String(getSelection()) === '') {
      event.preventDefault()
      copy()
    }
  }
  const click = (event: MouseEvent, index: number) => {
    const target = event.target as Element
    if (target.closest('a')) return // a link leads to the page of a thing
    const at = Number(target.closest<HTMLElement>('.cell')?.dataset['column'] ?? 0)
    if (event.shiftKey) {
      getSelection()?.removeAllRanges()
      const { row, column, from = { row, column } } = cursor.value
      cursor.value = { row: index, column: at, from }
      return
    }
    if (String(getSelection()) !== '') return // text is being selected, not a row
    cursor.value = { row: index, column: at }
    const flat = shown[at]
    if (flat?.column.kind === 'lines' && !areDifferences) unfold(index, flat)
    else onOpen(index, flat && canDrill(flat) && target.closest('.drill') ? flat.name : undefined)
  }

  // The row of the cursor stays drawn, so that it keeps the focus and Tab finds it.
  const { row: at } = cursor.value
  if (at >= 0 && at < total && at < seen.first) indexes.unshift(at)
  if (at < total && at > seen.last) indexes.push(at)

  return (
    <div
      class={`grid${isCard ? ' cards' : ''}${areDifferences ? ' differences' : ''}`}
      role="grid"
      aria-label={props.label}
      tabIndex={-1}
      aria-rowcount={total + 1 + (totals === undefined ? 0 : areDifferences ? 3 : 1)}
      aria-colcount={shown.length}
      aria-multiselectable="true"
      aria-busy={rows.total.value === undefined}
      ref={scroller}
      onKeyDown={keys}
      onFocusIn={({ target }) => {
        const element = target as HTMLElement
        const column = Number(element.closest<HTMLElement>('[data-column]')?.dataset['column'])
        const line = Number(element.closest('[aria-rowindex]')?.getAttribute('aria-rowindex')) - 2
        const { row, column: before } = cursor.peek()
        if (element.closest('.popover,.unfolded') || Number.isNaN(column) || (line === row && column === before)) return
        cursor.value = { row: line, column }
      }}
      onScroll={({ currentTarget }) => {
        const { scrollTop, clientHeight, clientWidth } = currentTarget
        if (returnTo.current === undefined) keepScroll('table', scrollTop)
        scrolled.value = { top: scrollTop, height: clientHeight, width: clientWidth }
      }}
    >
      {areDifferences ? (
        !isCard && <DifferenceHead look={look} />
      ) : isCard ? (
        <CardSort columns={chosen.shown} sort={sort} onSort={onSort} />
      ) : (
        <TableHead
          look={look}
          columns={chosen}
          natural={(name) => needs.get(name)?.width ?? NARROWEST}
          sort={sort}
          onSort={onSort}
          onFilter={props.onFilter}
          at={at === HEADER || total === 0 ? Math.min(cursor.value.column, shown.length - 1) : undefined}
          onMoved={(column) => {
            cursor.value = { row: HEADER, column }
            follows.current = true
          }}
        />
      )}
      <div
        class="rows"
        role="rowgroup"
        style={{ height: `${seen.height}px`, width: isCard ? '100%' : `max(100%, ${look.full}px)` }}
      >
        {indexes.map((index) => {
          const row = rows.row(index)
          const extra = unfolded.value.get(index)
          return (
            <Fragment key={index}>
              <TableRow
                {...{ look, row, index, canDrill, areDifferences }}
                top={seen.top(index)}
                height={rowHeight}
                selected={selected.value === index}
                unfolded={extra !== undefined}
                cursor={cursor.value}
                onClick={click}
              />
              {extra !== undefined && row !== undefined && (
                <Unfolded
                  {...{ columns: shown, row }}
                  top={seen.top(index) + rowHeight}
                  height={extra}
                  width={scrolled.value.width}
                />
              )}
            </Fragment>
          )
        })}
      </div>
      {totals !== undefined && areDifferences && <DifferenceTotals look={look} totals={totals} rowIndex={total + 2} />}
      {totals !== undefined && !areDifferences && (
        <TotalsRow look={look} totals={totals} label={totalsLabel} rowIndex={total + 2} />
      )}
    </div>
  )
}

/** A difference needs room for its values before, too. */
const withBefore = (rows: readonly Row[]): readonly Row[] =>
  rows.flatMap((row) => {
    const found = differenceOf(row)
    return found === undefined ? [row] : [row, found.before]
  })

function needOf(flat: Flat, rows: readonly Row[]): Need {
  const need = firstNeed(flat)
  widen(need, flat, rows)
  return need
}

function focusCell(scroller: HTMLElement | null, { row, column }: Cursor): void {
  const found = scroller?.querySelector<HTMLElement>(`[aria-rowindex="${row + 2}"] [data-column="${column}"]`)
  const cell = row === HEADER ? found?.querySelector<HTMLElement>('button') : found
  cell?.focus({ preventScroll: true })
  cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
