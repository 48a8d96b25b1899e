/** A table over any number of rows: those in view are drawn, and their pages fetched. */
import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Rows } from '../ask.js'
import { type Flat, isNumeric, type LinesColumn, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { counted, labelOf } from '../labels.js'
import { formatted, grouped } from '../numbers.js'
import { Cell, Num } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { useLasting } from '../parts/states.js'
import { type Arrangement, arrangementOf, compact, grouping } from '../preferences.js'
import { HeaderMenu } from './header-menu.js'
import { LinesTable } from './lines.js'
import { scrollTo, windowOf } from './window.js'

interface Props {
  /** Names what is remembered about the columns. */
  name: string
  /** Report, values and view as text; newer rows of the same question keep the scroll position. */
  question: string
  rows: Rows
  columns: readonly Flat[]
  /** Fields of the key: the first of them stays in view. */
  keyFields: readonly string[]
  totals: Row | undefined
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onFilter: (field: string) => void
  /** Index of the row whose panel is open. */
  selected: Signal<number | undefined>
  onOpen: (index: number, field?: string) => void
  canDrill: (column: Flat) => boolean
}

/** The columns before anyone arranges them: all but the members of nested objects, except names. */
export const initialArrangement = (columns: readonly Flat[], keyFields: readonly string[]): Arrangement => {
  const named = columns.filter(({ name }) => keyFields.includes(name))
  const first = (named.find(({ column }) => column.kind === 'text') ?? named[0] ?? columns[0])?.name
  const deep = columns.filter(
    ({ path, name }) => path.length > 1 && !keyFields.includes(name) && !/name|vendor$/.test(name),
  )
  return { hidden: deep.map(({ name }) => name), pinned: first === undefined ? [] : [first], widths: {} }
}

/** Pinned columns first, then the rest of the key and lines, which would be far away otherwise; hidden ones are left out. */
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

/** The first column has more room at its left. */
const EDGE = 14
const [NARROWEST, WIDEST] = [72, 300]

let context: CanvasRenderingContext2D | null | undefined
/** Of text in the table's font. */
function measure(text: string, weight: number): number {
  context ??= document.createElement('canvas').getContext('2d')
  if (context === null || context === undefined) return text.length * 7.5
  context.font = `${weight} 13px ${getComputedStyle(document.body).fontFamily}`
  return context.measureText(text).width
}

/** The room that its label and the first rows take. */
function naturalWidth({ column, path }: Flat, sample: readonly Row[]): number {
  if (column.kind === 'lines') return 96
  const label = Math.min(160, measure(labelOf(path.join('.')), 600) + 34) // with the button of its menu
  const longest = sample.reduce((most, row) => {
    const value = valueIn(row, path)
    if (value === null || value === undefined) return most
    const text = isNumeric(column) ? formatted(String(value), grouping.peek()) : String(value)
    return Math.max(most, measure(text, 400))
  }, 0)
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, label, longest + 24)))
}

export function Table(props: Props): JSX.Element {
  const { name, rows, columns, keyFields, totals, sort, onSort, selected, onOpen, canDrill } = props
  const scroller = useRef<HTMLDivElement>(null)
  const scrolled = useSignal({ top: 0, height: 600, width: 800 })
  const unfolded = useSignal<ReadonlyMap<number, number>>(new Map())
  const active = useSignal<{ row: number; column: number }>({ row: 0, column: 0 })
  const remembered = arrangementOf(name)
  const arrangement = remembered.value ?? initialArrangement(columns, keyFields)
  const shown = useMemo(() => arranged(columns, arrangement, keyFields), [columns, arrangement])
  const rowHeight = compact.value ? 28 : 32
  const last = useRef({ question: '', total: 0 })
  if (rows.total.value !== undefined) last.current = { question: props.question, total: rows.total.value }
  const total = rows.total.value ?? (last.current.question === props.question ? last.current.total : 0)
  const revision = rows.revision.value
  const waits = useLasting(rows.total.value === undefined && rows.failure.value === undefined, 150)

  const natural = useMemo(() => {
    const sample = Array.from({ length: Math.min(total, 60) }, (_, i) => rows.row(i)).filter((row) => row !== undefined)
    return new Map(columns.map((flat) => [flat.name, naturalWidth(flat, sample)]))
  }, [columns, rows, rows.total.value === undefined])
  const totalsLabel = `Total of ${counted(grouped(String(totals?.['rows'] ?? total), grouping.value), 'row')}`
  // Without a width of someone's choice, the first column has room for that.
  const least = (at: number) => (at > 0 || totals === undefined ? NARROWEST : measure(totalsLabel, 600) + 24)
  const totalWidth = ({ column, path }: Flat) => {
    const value = totals === undefined || !isNumeric(column) ? undefined : valueIn(totals, path)
    return value === undefined ? 0 : measure(formatted(String(value), grouping.value), 600) + 24
  }
  // On a phone the first column leaves room for the others.
  const most = (at: number) => (at === 0 && scrolled.value.width < 500 ? scrolled.value.width * 0.4 : Infinity)
  const widths = shown.map((flat, at) => {
    const own = Math.ceil(Math.max(least(at), natural.get(flat.name) ?? 0, totalWidth(flat)))
    return Math.min(most(at), (arrangement.widths[flat.name] ?? own) + (at === 0 ? EDGE : 0))
  })
  const lefts = widths.map((_, at) => widths.slice(0, at).reduce((sum, width) => sum + width, 0))
  const full = widths.reduce((sum, width) => sum + width, 0)
  const template = widths.map((width) => `${width}px`).join(' ')

  const layout = { count: total || (waits ? 20 : 0), rowHeight, unfolded: unfolded.value }
  const { top: scrollTop, height: viewHeight } = scrolled.value
  const seen = windowOf(layout, scrollTop, viewHeight)

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const measure = () => {
      scrolled.value = { top: element.scrollTop, height: element.clientHeight, width: element.clientWidth }
    }
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [scrolled])
  useEffect(() => {
    rows.need(seen.first, Math.max(seen.last, 0))
  })
  // Another question begins at its top.
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 })
    unfolded.value = new Map()
    active.value = { row: 0, column: 0 }
  }, [props.question])

  const show = (row: number) => {
    const element = scroller.current
    if (element === null) return
    const around = 32 + (totals === undefined ? 0 : 32) // header and totals cover these
    const to = scrollTo(layout, row, element.scrollTop, element.clientHeight - around)
    if (to !== undefined) element.scrollTo({ top: to })
  }
  const moveTo = (row: number, column: number) => {
    active.value = {
      row: Math.max(0, Math.min(total - 1, row)),
      column: Math.max(0, Math.min(shown.length - 1, column)),
    }
    show(active.value.row)
    if (selected.value !== undefined) onOpen(active.value.row)
    requestAnimationFrame(() => focusActive(scroller.current, active.value))
  }
  const keys = (event: KeyboardEvent) => {
    if (!(event.target as Element).closest('.rows')) return
    const { row, column } = active.value
    const page = Math.max(1, Math.floor(viewHeight / rowHeight) - 3)
    const moves: Record<string, readonly [number, number]> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1],
      ArrowLeft: [row, column - 1],
      PageDown: [row + page, column],
      PageUp: [row - page, column],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [total - 1, column] : [row, shown.length - 1],
    }
    const to = moves[event.key]
    if (to !== undefined) {
      event.preventDefault()
      moveTo(...to)
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      const flat = shown[column]
      if (flat?.column.kind === 'lines') unfold(row, flat)
      else onOpen(row, flat && canDrill(flat) ? flat.name : undefined)
    } else if (event.key === 'c' && (event.ctrlKey || event.metaKey) && String(getSelection()) === '') {
      const found = rows.row(row)
      const flat = shown[column]
      if (found && flat) void navigator.clipboard?.writeText(String(valueIn(found, flat.path) ?? ''))
    }
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

  const drag = useRef<{ name: string; from: number; width: number } | undefined>(undefined)
  const setWidth = (field: string, width: number) => {
    remembered.value = { ...arrangement, widths: { ...arrangement.widths, [field]: Math.max(48, Math.round(width)) } }
  }

  const sticky = (at: number): Record<string, string> =>
    arrangement.pinned.includes(shown[at]?.name ?? '') ? { position: 'sticky', left: `${lefts[at]}px` } : {}
  const lastPinned = shown.filter(({ name }) => arrangement.pinned.includes(name)).length - 1
  const cellClass = (flat: Flat, at: number) =>
    [
      'cell',
      isNumeric(flat.column) && 'right',
      arrangement.pinned.includes(flat.name) && 'pinned',
      at === lastPinned && 'edge',
    ]
      .filter(Boolean)
      .join(' ')
  const sorts = new Map(
    (sort ?? '').split(',').map((one) => [one.replace(/^-/, ''), one.startsWith('-') ? 'desc' : 'asc']),
  )

  // The label of the totals stands in the first column.
  const labelled = 1

  const drawn: JSX.Element[] = []
  void revision
  for (let index = seen.first; index <= seen.last; index++) {
    const row = rows.row(index)
    const isSelected = selected.value === index
    drawn.push(
      <div
        key={index}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        class={isSelected ? 'row selected' : 'row'}
        style={{
          transform: `translateY(${seen.top(index)}px)`,
          gridTemplateColumns: template,
          height: `${rowHeight}px`,
        }}
        onClick={(event) => {
          if (String(getSelection()) !== '') return // text is being selected, not a row
          const cell = (event.target as Element).closest<HTMLElement>('.cell')
          const at = Number(cell?.dataset.column ?? 0)
          active.value = { row: index, column: at }
          const flat = shown[at]
          if (flat?.column.kind === 'lines') unfold(index, flat)
          else
            onOpen(index, flat && canDrill(flat) && (event.target as Element).closest('.drill') ? flat.name : undefined)
        }}
      >
        {shown.map((flat, at) => {
          const isActive = active.value.row === index && active.value.column === at
          return (
            <div
              key={flat.name}
              role="gridcell"
              aria-colindex={at + 1}
              class={cellClass(flat, at)}
              style={sticky(at)}
              data-column={at}
              tabIndex={isActive ? 0 : -1}
            >
              {row === undefined ? (
                <span class="skeleton" />
              ) : (
                <Content row={row} flat={flat} unfolded={unfolded.value.has(index)} drill={canDrill(flat)} />
              )}
            </div>
          )
        })}
      </div>,
    )
    const extra = unfolded.value.get(index)
    if (extra !== undefined && row !== undefined)
      drawn.push(
        <div
          key={`${index} lines`}
          class="unfolded"
          style={{ transform: `translateY(${seen.top(index) + rowHeight}px)`, height: `${extra}px` }}
        >
          <div class="sticky" style={{ width: `${scrolled.value.width - 48}px` }}>
            {shown
              .filter(({ column }) => column.kind === 'lines')
              .map(({ column, path, name }) => (
                <LinesTable key={name} column={column as LinesColumn} lines={valueIn(row, path) as Row[]} />
              ))}
          </div>
        </div>,
      )
  }

  return (
    <div
      class="grid"
      role="grid"
      tabIndex={-1}
      aria-rowcount={total + 1 + (totals === undefined ? 0 : 1)}
      aria-colcount={shown.length}
      aria-busy={rows.total.value === undefined}
      ref={scroller}
      onKeyDown={keys}
      onScroll={({ currentTarget }) => {
        const { scrollTop, clientHeight, clientWidth } = currentTarget
        scrolled.value = { top: scrollTop, height: clientHeight, width: clientWidth }
      }}
    >
      <div class="head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template, width: `${full}px` }}>
        {shown.map((flat, at) => {
          const direction = sorts.get(flat.name)
          return (
            <div
              key={flat.name}
              role="columnheader"
              aria-colindex={at + 1}
              aria-sort={direction === undefined ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}
              class={cellClass(flat, at)}
              style={sticky(at)}
              data-field={flat.name}
            >
              {flat.column.kind === 'lines' ? (
                <span class="label" title={flat.column.description}>
                  {labelOf(flat.name)}
                </span>
              ) : (
                <button
                  type="button"
                  class="label"
                  title={`${flat.name}: ${flat.column.description}`}
                  onClick={() =>
                    onSort(direction === undefined ? flat.name : direction === 'asc' ? `-${flat.name}` : undefined)
                  }
                >
                  <span>{labelOf(flat.name)}</span>
                  {direction !== undefined && <Icon name={direction === 'asc' ? 'up' : 'down'} />}
                </button>
              )}
              <HeaderMenu
                flat={flat}
                arrangement={arrangement}
                onArrange={(next) => {
                  remembered.value = next
                }}
                onSort={onSort}
                onFilter={props.onFilter}
              />
              <span
                class="resize"
                aria-hidden="true"
                onPointerDown={(event) => {
                  drag.current = {
                    name: flat.name,
                    from: event.clientX,
                    width: (widths[at] ?? NARROWEST) - (at === 0 ? EDGE : 0),
                  }
                  event.currentTarget.setPointerCapture(event.pointerId)
                  event.preventDefault()
                }}
                onPointerMove={(event) => {
                  if (drag.current) setWidth(drag.current.name, drag.current.width + event.clientX - drag.current.from)
                }}
                onPointerUp={() => {
                  drag.current = undefined
                }}
                onDblClick={() => setWidth(flat.name, natural.get(flat.name) ?? NARROWEST)}
              />
            </div>
          )
        })}
      </div>
      <div class="rows" role="rowgroup" style={{ height: `${seen.height}px`, width: `${full}px` }}>
        {drawn}
      </div>
      {totals !== undefined && (
        <div
          class="totals"
          role="row"
          aria-rowindex={total + 2}
          style={{ gridTemplateColumns: template, width: `${full}px` }}
        >
          <div
            class="cell label pinned"
            role="gridcell"
            style={{ gridColumn: `span ${labelled}`, position: 'sticky', left: '0' }}
          >
            <span>{totalsLabel}</span>
          </div>
          {shown.slice(labelled).map((flat, i) => {
            const at = i + labelled
            const value = valueIn(totals, flat.path)
            return (
              <div
                key={flat.name}
                role="gridcell"
                class={cellClass(flat, at)}
                style={sticky(at)}
                data-total={flat.name}
              >
                {value !== undefined && value !== null && <Num text={String(value)} />}
              </div>
            )
          })}
        </div>
      )}
    </div>
  )
}

function Content({
  row,
  flat,
  unfolded,
  drill,
}: {
  row: Row
  flat: Flat
  unfolded: boolean
  drill: boolean
}): JSX.Element {
  const value = valueIn(row, flat.path)
  if (flat.column.kind === 'lines') {
    const count = (value as unknown[]).length
    return (
      <span class="fold">
        <Icon name={unfolded ? 'down' : 'right'} /> {counted(String(count), 'line')}
      </span>
    )
  }
  const column = flat.column as ValueColumn
  const cell = <Cell value={value} column={column} />
  return drill && value !== null && value !== '' ? <span class="drill">{cell}</span> : cell
}

function focusActive(scroller: HTMLElement | null, { row, column }: { row: number; column: number }): void {
  const cell = scroller?.querySelector<HTMLElement>(`[aria-rowindex="${row + 2}"] [data-column="${column}"]`)
  cell?.focus({ preventScroll: true })
  cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
