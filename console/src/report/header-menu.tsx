/** The menu of a column: sort, filter, move, pin, hide. */
import type { JSX } from 'preact'
import { type Flat, isNumeric } from '../catalogue.js'
import { Described } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { nameOf } from '../people.js'
import type { Columns } from './columns.js'

interface Props {
  flat: Flat
  /** Its place in the table. */
  column: number
  columns: Columns
  move: (from: number, to: number) => void
  tabIndex: number
  onSort: (sort: string | undefined) => void
  onFilter: (field: string) => void
}

export function HeaderMenu({ flat, column: at, columns, move, tabIndex, onSort, onFilter }: Props): JSX.Element {
  const { name, column } = flat
  const pinned = columns.isPinned(name)
  const names = columns.shown.map((one) => one.name)
  return (
    <Menu
      wordless
      class="head-menu"
      end={isNumeric(column)}
      tabIndex={tabIndex}
      label={<Icon name="down" />}
      title={`Column ${nameOf(flat)}`}
    >
      {(close) => {
        const item = (text: string, act: () => void) => (
          <button
            type="button"
            class="item"
            onClick={() => {
              close()
              act()
            }}
          >
            {text}
          </button>
        )
        return (
          <div class="items">
            <p class="about">
              <Described text={column.description} />
            </p>
            {column.kind !== 'lines' && item('Sort ascending', () => onSort(name))}
            {column.kind !== 'lines' && item('Sort descending', () => onSort(`-${name}`))}
            {column.kind !== 'lines' && item('Filter…', () => onFilter(name))}
            {at > 0 && item('Move left', () => move(at, at - 1))}
            {at < names.length - 1 && item('Move right', () => move(at, at + 1))}
            {item(pinned ? 'Unpin' : 'Pin', () => columns.pin(name, !pinned))}
            {names.length > 1 && item('Hide', () => columns.show(names.filter((one) => one !== name)))}
          </div>
        )
      }}
    </Menu>
  )
}
