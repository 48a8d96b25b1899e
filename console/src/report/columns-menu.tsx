/** Which columns are shown and pinned. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Flat } from '../catalogue.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { arrangementOf } from '../preferences.js'
import { initialArrangement } from './columns.js'
import { headingOf } from './group-words.js'

export function ColumnsMenu({ name, columns }: { name: string; columns: readonly Flat[] }): JSX.Element {
  const remembered = arrangementOf(name)
  const arrangement = remembered.value ?? initialArrangement(columns)
  const [text, setText] = useState('')
  const { hidden, pinned } = arrangement
  const shown = columns.filter((flat) => `${flat.name} ${headingOf(flat)}`.toLowerCase().includes(text.toLowerCase()))
  const toggle = (list: readonly string[], one: string) =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one]
  const visible = columns.length - hidden.filter((one) => !pinned.includes(one)).length
  return (
    <Menu
      class="chip plain"
      end
      label={
        <>
          <Icon name="columns" /> Columns
          <span class="quiet">
            {visible} of {columns.length}
          </span>
        </>
      }
      title={`Columns: ${visible} of ${columns.length} shown`}
    >
      {() => (
        <div class="items columns">
          <input
            type="search"
            placeholder="Find a column"
            aria-label="Find a column"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          <div class="scroll">
            {shown.map(({ name, column, label }) => (
              <div key={name} class="column-line">
                <label class="check" title={column.description}>
                  <input
                    type="checkbox"
                    checked={!hidden.includes(name) || pinned.includes(name)}
                    onChange={() => {
                      remembered.value = {
                        ...arrangement,
                        hidden: toggle(hidden, name),
                        pinned: pinned.filter((one) => one !== name),
                      }
                    }}
                  />
                  {headingOf({ name, label })}
                </label>
                <button
                  type="button"
                  class={pinned.includes(name) ? 'mini on' : 'mini'}
                  aria-pressed={pinned.includes(name)}
                  aria-label={`Pin ${headingOf({ name, label })}`}
                  title="Pin: keep it in view"
                  onClick={() => {
                    remembered.value = { ...arrangement, pinned: toggle(pinned, name) }
                  }}
                >
                  <Icon name="pin" />
                </button>
              </div>
            ))}
          </div>
          <div class="actions">
            <button
              type="button"
              class="button"
              onClick={() => {
                remembered.value = { ...arrangement, hidden: [] }
              }}
            >
              Show all
            </button>
            <button
              type="button"
              class="button"
              onClick={() => {
                remembered.value = undefined
              }}
            >
              Reset
            </button>
          </div>
        </div>
      )}
    </Menu>
  )
}
