/** The header of a table: sorts by a click, has a menu per column, and sizes and moves columns. */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Flat } from '../catalogue.js'
import { account } from '../company.js'
import { Icon } from '../parts/icons.js'
import { currencySign, headingOf, isAccountMoney, nameOf, plainText } from '../people.js'
import { movedTo } from './arranged.js'
import type { Columns } from './columns.js'
import { HeaderMenu } from './header-menu.js'
import type { Look } from './look.js'
import { EDGE, NARROWEST } from './widths.js'

interface Props {
  look: Look
  columns: Columns
  /** The width that a column needs. */
  natural: (name: string) => number
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onFilter: (field: string) => void
  /** The column with the keyboard cursor; undefined if the cursor is in the rows. */
  at: number | undefined
  /** A column was moved here by the keyboard. */
  onMoved: (column: number) => void
}

const ARIA = { asc: 'ascending', desc: 'descending' } as const

/** Pixels that the pointer moves before a press is a drag. */
const DRAG = 6

/** A column that the pointer drags: from which place, and before which one it would be dropped. */
interface Dragged {
  readonly from: number
  readonly before: number
}

export function TableHead({ look, columns, natural, sort, onSort, onFilter, at, onMoved }: Props): JSX.Element {
  const { shown, widths, template, full, cellClass, sticky } = look
  const sizing = useRef<{ name: string; from: number; width: number } | undefined>(undefined)
  const pressed = useRef<{ column: number; x: number } | undefined>(undefined)
  const wasDragged = useRef(false)
  const [dragged, setDragged] = useState<Dragged | undefined>(undefined)
  const row = useRef<HTMLDivElement>(null)
  const sorts = new Map(
    (sort ?? '').split(',').map((one) => [one.replace(/^-/, ''), one.startsWith('-') ? 'desc' : 'asc'] as const),
  )
  const move = (from: number, to: number): void => {
    const names = movedTo(columns, from, to)
    columns.show(names)
    onMoved(names.indexOf(shown[from]?.name ?? ''))
  }
  /** The column before which a drop at this place puts the dragged one. */
  const placeAt = (x: number): number => {
    const cells = [...(row.current?.querySelectorAll<HTMLElement>('[role=columnheader]') ?? [])]
    const middles = cells.map((cell) => cell.getBoundingClientRect()).map(({ left, width }) => left + width / 2)
    const found = middles.findIndex((middle) => x < middle)
    return found < 0 ? cells.length : found
  }
  const drag = {
    onPointerDown: (event: PointerEvent, column: number) => {
      // A finger scrolls the table; the menu of columns has their order too.
      const isInMenu = (event.target as Element).closest('.popover') !== null
      if (event.button !== 0 || event.pointerType === 'touch' || isInMenu) return
      pressed.current = { column, x: event.clientX }
      wasDragged.current = false
    },
    onPointerMove: (event: PointerEvent & { currentTarget: HTMLElement }) => {
      const from = pressed.current
      if (from === undefined || (dragged === undefined && Math.abs(event.clientX - from.x) < DRAG)) return
      if (dragged === undefined) event.currentTarget.setPointerCapture(event.pointerId)
      wasDragged.current = true
      setDragged({ from: from.column, before: placeAt(event.clientX) })
    },
    onPointerUp: () => {
      pressed.current = undefined
      if (dragged === undefined) return
      setDragged(undefined)
      const { from, before } = dragged
      move(from, before > from ? before - 1 : before)
    },
    onPointerCancel: () => {
      pressed.current = undefined
      setDragged(undefined)
    },
  }
  const keys = (event: KeyboardEvent, column: number) => {
    if ((event.target as Element).closest('.popover') !== null) return
    if (!event.shiftKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return
    event.preventDefault()
    event.stopPropagation()
    move(column, Math.max(0, Math.min(shown.length - 1, column + (event.key === 'ArrowRight' ? 1 : -1))))
  }
  const cell = (flat: Flat, column: number) => {
    const { name } = flat
    const direction = sorts.get(name)
    const tabIndex = at === column ? 0 : -1
    const sign = isAccountMoney(flat) ? currencySign(account.value?.currency) : undefined
    const heading = (
      <>
        <span>{headingOf(flat)}</span>
        {sign !== undefined && <span class="sign"> {sign}</span>}
      </>
    )
    const side =
      dragged === undefined || dragged.before === dragged.from || dragged.before === dragged.from + 1
        ? ''
        : dragged.before === column
          ? ' drop-before'
          : dragged.before === shown.length && column === shown.length - 1
            ? ' drop-after'
            : ''
    return (
      <div
        key={name}
        role="columnheader"
        aria-colindex={column + 1}
        aria-sort={direction === undefined ? 'none' : ARIA[direction]}
        class={`${cellClass(flat, column)}${side}${dragged?.from === column ? ' dragged' : ''}`}
        style={sticky(column)}
        data-field={name}
        data-column={column}
        onPointerDown={(event) => drag.onPointerDown(event, column)}
        onPointerMove={drag.onPointerMove}
        onPointerUp={drag.onPointerUp}
        onPointerCancel={drag.onPointerCancel}
        onKeyDown={(event) => keys(event, column)}
      >
        {flat.column.kind === 'lines' ? (
          <span class="label" title={plainText(flat.column.description)}>
            {heading}
          </span>
        ) : (
          <button
            type="button"
            class="label"
            tabIndex={tabIndex}
            aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
            title={`${nameOf(flat)} (${name}): ${plainText(flat.column.description)}\nDrag it to another place, or press Shift and an arrow.`}
            onClick={() => {
              if (wasDragged.current) return
              onSort(direction === undefined ? name : direction === 'asc' ? `-${name}` : undefined)
            }}
          >
            {heading}
            {direction !== undefined && <Icon name={direction === 'asc' ? 'up' : 'down'} />}
          </button>
        )}
        <HeaderMenu
          tabIndex={flat.column.kind === 'lines' ? tabIndex : -1}
          {...{ flat, column, columns, move, onSort, onFilter }}
        />
        <span
          class="resize"
          aria-hidden="true"
          onPointerDown={(event) => {
            const width = (widths[column] ?? NARROWEST) - (column === 0 ? EDGE : 0)
            sizing.current = { name, from: event.clientX, width }
            event.currentTarget.setPointerCapture(event.pointerId)
            event.preventDefault()
            event.stopPropagation()
          }}
          onPointerMove={(event) => {
            const from = sizing.current
            if (from !== undefined) columns.setWidth(from.name, from.width + event.clientX - from.from)
          }}
          onPointerUp={() => {
            sizing.current = undefined
          }}
          onDblClick={() => columns.setWidth(name, natural(name))}
        />
      </div>
    )
  }
  return (
    <div
      class="head"
      role="row"
      aria-rowindex={1}
      ref={row}
      style={{ gridTemplateColumns: template, width: `max(100%, ${full}px)` }}
    >
      {shown.map(cell)}
    </div>
  )
}
