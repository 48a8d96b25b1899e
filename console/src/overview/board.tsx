/** The pins of the overview in their order. The pointer and the arrow keys move them; each change is kept on the service. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Answers } from './answers.js'
import type { Pin } from './definition.js'
import { moved, spans } from './layout.js'
import { changePin } from './pins.js'
import { keepPins } from './store.js'
import { Tile } from './tile.js'

interface Props {
  readonly pins: readonly Pin[]
  readonly from: Answers
  readonly isArranging: boolean
  /** Says a change, and offers to undo it. */
  onChanged(words: string): void
}

/** Pins are plain values; while they are on the page, each has a key. */
const keys = new WeakMap<Pin, number>()
let lastKey = 0
function keyOf(pin: Pin): number {
  const known = keys.get(pin)
  if (known !== undefined) return known
  keys.set(pin, ++lastKey)
  return lastKey
}

export function Board({ pins, from, isArranging, onChanged }: Props): JSX.Element {
  const around = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = around.current
    if (element === null) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  /** While the pointer moves a pin: the order that it would make. */
  const dragged = useSignal<{ readonly pin: Pin; readonly order: readonly Pin[] } | undefined>(undefined)
  const said = useSignal('')
  const order = dragged.value?.order ?? pins
  const spanOf = spans(order, width)

  // A moved element loses the focus.
  const focused = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    if (focused.current?.isConnected && document.activeElement !== focused.current) focused.current.focus()
    focused.current = null
  })
  const place = (pin: Pin, to: number) => {
    focused.current = document.activeElement as HTMLElement | null
    const next = moved(pins, pin, to)
    said.value = `${pin.title} is now at place ${to + 1} of ${pins.length}.`
    void keepPins(next)
  }
  const replace = (pin: Pin, next: Pin) => {
    keys.set(next, keyOf(pin))
    void keepPins(pins.map((one) => (one === pin ? next : one)))
  }
  const drag = (pin: Pin, event: PointerEvent) => {
    if (event.button !== 0) return
    event.preventDefault()
    const handle = event.currentTarget as HTMLElement
    handle.focus()
    dragged.value = { pin, order: pins }
    const ended = new AbortController()
    const end = (isKept: boolean) => {
      ended.abort()
      const made = dragged.value?.order ?? pins
      dragged.value = undefined
      if (isKept && made.some((one, at) => one !== pins[at])) place(pin, made.indexOf(pin))
    }
    const listen = <K extends keyof DocumentEventMap>(name: K, listener: (event: DocumentEventMap[K]) => void) =>
      document.addEventListener(name, listener, { signal: ended.signal, capture: true })
    listen('pointermove', ({ clientX, clientY }) => {
      const over = document.elementFromPoint(clientX, clientY)?.closest('[data-pin]')
      const tiles = [...(around.current?.querySelectorAll('[data-pin]') ?? [])]
      const to = over === null || over === undefined ? -1 : tiles.indexOf(over)
      const now = dragged.value?.order ?? pins
      if (to >= 0 && now[to] !== pin) dragged.value = { pin, order: moved(now, pin, to) }
    })
    listen('pointerup', () => end(true))
    listen('pointercancel', () => end(false))
    listen('keydown', (key) => {
      if (key.key !== 'Escape') return
      key.stopPropagation()
      end(false)
    })
  }

  return (
    <div class={isArranging ? 'board arranging' : 'board'} ref={around}>
      {width > 0 &&
        order.map((pin, at) => (
          <Tile
            key={keyOf(pin)}
            {...{ pin, from, isArranging }}
            span={spanOf[at] ?? 1}
            isMoving={dragged.value?.pin === pin}
            onMove={(by) => {
              const to = at + by
              if (to >= 0 && to < pins.length) place(pin, to)
              else said.value = `${pin.title} is at the ${by < 0 ? 'beginning' : 'end'}.`
            }}
            onDrag={(event) => drag(pin, event)}
            onChange={() => changePin(pin, (next) => replace(pin, next))}
            onResize={(size) => replace(pin, { ...pin, size })}
            onRemove={() => {
              void keepPins(pins.filter((one) => one !== pin))
              onChanged(`${pin.title} is removed.`)
            }}
          />
        ))}
      <p class="unseen" role="status">
        {said.value}
      </p>
    </div>
  )
}
