/** The header of a table: sorts by a click, has a menu per column, and sizes columns. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { Flat } from '../catalogue.js'
import { Icon } from '../parts/icons.js'
import type { Arrangement } from '../preferences.js'
import { headingOf } from './group-words.js'
import { HeaderMenu } from './header-menu.js'
import type { Look } from './look.js'
import { EDGE, NARROWEST } from './widths.js'

interface Props {
  look: Look
  arrangement: Arrangement
  onArrange: (next: Arrangement) => void
  natural: ReadonlyMap<string, number>
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onFilter: (field: string) => void
  /** The column with the keyboard cursor; undefined if the cursor is in the rows. */
  at: number | undefined
}

const ARIA = { asc: 'ascending', desc: 'descending' } as const

export function TableHead({ look, arrangement, onArrange, natural, sort, onSort, onFilter, at }: Props): JSX.Element {
  const { shown, widths, template, full, cellClass, sticky } = look
  const drag = useRef<{ name: string; from: number; width: number } | undefined>(undefined)
  const setWidth = (field: string, width: number) =>
    onArrange({ ...arrangement, widths: { ...arrangement.widths, [field]: Math.max(48, Math.round(width)) } })
  const sorts = new Map(
    (sort ?? '').split(',').map((one) => [one.replace(/^-/, ''), one.startsWith('-') ? 'desc' : 'asc'] as const),
  )
  const cell = (flat: Flat, column: number) => {
    const { name } = flat
    const direction = sorts.get(name)
    const tabIndex = at === column ? 0 : -1
    return (
      <div
        key={name}
        role="columnheader"
        aria-colindex={column + 1}
        aria-sort={direction === undefined ? 'none' : ARIA[direction]}
        class={cellClass(flat, column)}
        style={sticky(column)}
        data-field={name}
        data-column={column}
      >
        {flat.column.kind === 'lines' ? (
          <span class="label" title={flat.column.description}>
            {headingOf(flat)}
          </span>
        ) : (
          <button
            type="button"
            class="label"
            tabIndex={tabIndex}
            title={`${headingOf(flat)} (${name}): ${flat.column.description}`}
            onClick={() => onSort(direction === undefined ? name : direction === 'asc' ? `-${name}` : undefined)}
          >
            <span>{headingOf(flat)}</span>
            {direction !== undefined && <Icon name={direction === 'asc' ? 'up' : 'down'} />}
          </button>
        )}
        <HeaderMenu
          tabIndex={flat.column.kind === 'lines' ? tabIndex : -1}
          {...{ flat, arrangement, onArrange, onSort, onFilter }}
        />
        <span
          class="resize"
          aria-hidden="true"
          onPointerDown={(event) => {
            const width = (widths[column] ?? NARROWEST) - (column === 0 ? EDGE : 0)
            drag.current = { name, from: event.clientX, width }
            event.currentTarget.setPointerCapture(event.pointerId)
            event.preventDefault()
          }}
          onPointerMove={(event) => {
            if (drag.current) setWidth(drag.current.name, drag.current.width + event.clientX - drag.current.from)
          }}
          onPointerUp={() => {
            drag.current = undefined
          }}
          onDblClick={() => setWidth(name, natural.get(name) ?? NARROWEST)}
        />
      </div>
    )
  }
  return (
    <div class="head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template, width: `${full}px` }}>
      {shown.map(cell)}
    </div>
  )
}
