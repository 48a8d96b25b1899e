/** The menu of a column: sort, filter, pin, hide. */
import type { JSX } from 'preact'
import type { Flat } from '../catalogue.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import type { Arrangement } from '../preferences.js'
import { headingOf } from './group-words.js'

interface Props {
  flat: Flat
  tabIndex: number
  arrangement: Arrangement
  onArrange: (next: Arrangement) => void
  onSort: (sort: string | undefined) => void
  onFilter: (field: string) => void
}

export function HeaderMenu({ flat, tabIndex, arrangement, onArrange, onSort, onFilter }: Props): JSX.Element {
  const { name, column } = flat
  const pinned = arrangement.pinned.includes(name)
  const without = (names: readonly string[]) => names.filter((one) => one !== name)
  return (
    <Menu
      wordless
      class="head-menu"
      end
      tabIndex={tabIndex}
      label={<Icon name="down" />}
      title={`Column ${headingOf(flat)}`}
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
            <p class="about">{column.description}</p>
            {column.kind !== 'lines' && item('Sort ascending', () => onSort(name))}
            {column.kind !== 'lines' && item('Sort descending', () => onSort(`-${name}`))}
            {column.kind !== 'lines' && item('Filter…', () => onFilter(name))}
            {item(pinned ? 'Unpin' : 'Pin', () =>
              onArrange({
                ...arrangement,
                pinned: pinned ? without(arrangement.pinned) : [...arrangement.pinned, name],
              }),
            )}
            {item('Hide', () =>
              onArrange({
                ...arrangement,
                hidden: [...arrangement.hidden, name],
                pinned: without(arrangement.pinned),
              }),
            )}
          </div>
        )
      }}
    </Menu>
  )
}
