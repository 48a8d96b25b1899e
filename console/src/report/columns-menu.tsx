/** Which columns are shown, in which order: by drag, or by the arrow keys on a handle. */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { Flat } from '../catalogue.js'
import { labelOf } from '../labels.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { headingOf, nameOf, plainText } from '../people.js'
import { movedTo } from './arranged.js'
import type { Columns } from './columns.js'

export function ColumnsMenu({ columns, chosen }: { columns: readonly Flat[]; chosen: Columns }): JSX.Element {
  const count = `${chosen.shown.length} of ${columns.length}`
  return (
    <Menu
      class="chip plain"
      end
      label={
        <>
          <Icon name="columns" /> Columns
          <span class="quiet">{count}</span>
        </>
      }
      title={`Columns: ${count} shown`}
    >
      {() => <Choice columns={columns} chosen={chosen} />}
    </Menu>
  )
}

function Choice({ columns, chosen }: { columns: readonly Flat[]; chosen: Columns }): JSX.Element {
  const [text, setText] = useState('')
  const list = useRef<HTMLDivElement>(null)
  /** The column that the pointer drags. */
  const dragged = useRef<string | undefined>(undefined)
  const names = chosen.shown.map(({ name }) => name)
  const matches = (flat: Flat) =>
    `${flat.name} ${labelOf(flat.name)} ${nameOf(flat)} ${headingOf(flat)}`.toLowerCase().includes(text.toLowerCase())
  const others = columns.filter(({ name }) => !names.includes(name)).filter(matches)
  const line = (flat: Flat, at: number | undefined) => (
    <Line
      key={flat.name}
      {...{ flat, at, chosen }}
      onGrab={(event) => {
        dragged.current = flat.name
        list.current?.setPointerCapture(event.pointerId)
      }}
      onToggle={() => chosen.show(at === undefined ? [...names, flat.name] : names.filter((one) => one !== flat.name))}
    />
  )
  return (
    <div class="items columns">
      <input
        type="search"
        placeholder="Find a column"
        aria-label="Find a column"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <div
        class="scroll"
        ref={list}
        onPointerMove={({ clientY, currentTarget }) => {
          const from = dragged.current === undefined ? -1 : names.indexOf(dragged.current)
          const to = from < 0 ? undefined : placeAt(currentTarget, clientY)
          if (to !== undefined && to !== from) chosen.show(movedTo(chosen, from, to))
        }}
        onPointerUp={() => {
          dragged.current = undefined
        }}
        onPointerCancel={() => {
          dragged.current = undefined
        }}
      >
        {chosen.shown.map((flat, at) => (matches(flat) ? line(flat, at) : null))}
        {others.length > 0 && names.length > 0 && <hr />}
        {others.map((flat) => line(flat, undefined))}
        {others.length === 0 && !chosen.shown.some(matches) && <p class="about">No column has these words.</p>}
      </div>
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() =>
            chosen.show([...names, ...columns.map(({ name }) => name).filter((one) => !names.includes(one))])
          }
        >
          Show all
        </button>
        <button type="button" class="button" onClick={chosen.reset}>
          Reset
        </button>
      </div>
    </div>
  )
}

/** The place of the line at this height. */
function placeAt(list: HTMLElement, y: number): number | undefined {
  const lines = [...list.querySelectorAll<HTMLElement>('[data-place]')]
  const found = lines.find((line) => {
    const { top, bottom } = line.getBoundingClientRect()
    return y >= top && y < bottom
  })
  return found === undefined ? undefined : Number(found.dataset['place'])
}

interface LineProps {
  flat: Flat
  /** Its place in the table; undefined for a hidden column. */
  at: number | undefined
  chosen: Columns
  onToggle: () => void
  /** The pointer has taken the handle. */
  onGrab: (event: PointerEvent) => void
}

function Line({ flat, at, chosen, onToggle, onGrab }: LineProps): JSX.Element {
  const { name, column } = flat
  const handle = useRef<HTMLButtonElement>(null)
  const pinned = at !== undefined && chosen.isPinned(name)
  const moveTo = (to: number) => {
    if (at !== undefined && to !== at && to >= 0 && to < chosen.shown.length) chosen.show(movedTo(chosen, at, to))
  }
  return (
    <div class="column-line" data-place={at}>
      {at !== undefined && (
        <button
          type="button"
          class="handle"
          ref={handle}
          aria-label={`Move ${nameOf(flat)}: place ${at + 1} of ${chosen.shown.length}`}
          title="Drag it to another place, or press an arrow key"
          onPointerDown={onGrab}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
            event.preventDefault()
            event.stopPropagation()
            moveTo(at + (event.key === 'ArrowDown' ? 1 : -1))
            // The line is the same element at another place, which loses the focus.
            requestAnimationFrame(() => handle.current?.focus())
          }}
        >
          <Icon name="grip" />
        </button>
      )}
      <label class="check" title={plainText(column.description)}>
        <input
          type="checkbox"
          checked={at !== undefined}
          disabled={at !== undefined && chosen.shown.length === 1}
          onChange={onToggle}
        />
        <span class="clip">{nameOf(flat)}</span>
      </label>
      {at !== undefined && (
        <button
          type="button"
          class={pinned ? 'mini on' : 'mini'}
          aria-pressed={pinned}
          aria-label={`Pin ${nameOf(flat)}`}
          title="Pin: keep it in view"
          onClick={() => chosen.pin(name, !pinned)}
        >
          <Icon name="pin" />
        </button>
      )}
    </div>
  )
}
