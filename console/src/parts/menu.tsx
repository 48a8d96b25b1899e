/** A button that opens a small panel near it; Escape, a click elsewhere and a choice close it. The panel stays on the screen. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  /** The content of the button. */
  label: ComponentChildren
  title?: string
  /** The title names the button, which may have no words. */
  wordless?: boolean
  class?: string
  /** Opens to the left. */
  end?: boolean
  disabled?: boolean
  /** Tab index of the button, if a parent manages the focus. */
  tabIndex?: number
  children: (close: () => void) => ComponentChildren
}

/** Pixels between a panel and its button, and around it. */
const GAP = 4
const MARGIN = 12
/** A screen that is narrower shows panels at its lower edge. */
const NARROW = 720
const TALLEST = 560

/** Puts the panel under its button, or above it if there is more room, and inside the screen. */
function put(panel: HTMLElement, button: HTMLElement, end: boolean): void {
  const { style } = panel
  const [width, height] = [document.documentElement.clientWidth, window.innerHeight]
  Object.assign(style, { left: 'auto', right: 'auto', top: 'auto', bottom: 'auto' })
  if (width <= NARROW) {
    Object.assign(style, { left: `${MARGIN}px`, right: `${MARGIN}px`, bottom: `${MARGIN}px`, maxWidth: 'none' })
    style.maxHeight = `${Math.round(height * 0.7)}px`
    return
  }
  const { left, right, top, bottom } = button.getBoundingClientRect()
  const [below, above] = [height - bottom - GAP - MARGIN, top - GAP - MARGIN]
  const wanted = Math.min(TALLEST, panel.scrollHeight)
  const isBelow = below >= wanted || below >= above
  style.maxHeight = `${Math.min(TALLEST, isBelow ? below : above)}px`
  Object.assign(style, isBelow ? { top: `${bottom + GAP}px` } : { bottom: `${height - top + GAP}px` })
  const own = panel.offsetWidth
  const wish = end ? right - own : left
  style.left = `${Math.max(MARGIN, Math.min(wish, width - own - MARGIN))}px`
}

export function Menu({
  label,
  title,
  wordless = false,
  class: style = 'chip',
  end = false,
  disabled = false,
  tabIndex,
  children,
}: Props): JSX.Element {
  const [open, setOpen] = useState(false)
  const around = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const id = useId()
  const close = () => {
    setOpen(false)
    button.current?.focus()
  }
  const items = () => [...(around.current?.querySelectorAll<HTMLElement>('.popover .item:not(:disabled)') ?? [])]
  /** Tab stops once at the items; the arrow keys move between them. */
  const rove = (to: HTMLElement | undefined) => {
    for (const item of items()) item.tabIndex = item === to ? 0 : -1
  }
  useLayoutEffect(() => {
    const element = panel.current
    if (!open || element === null) return
    element.showPopover() // above everything, and not cut off by a table that scrolls
    const place = () => {
      if (button.current !== null) put(element, button.current, end)
    }
    place()
    const observer = new ResizeObserver(place) // its content may arrive later
    observer.observe(element)
    // Items come and go while the user types.
    const changes = new MutationObserver(() => {
      const all = items()
      if (!all.some((item) => item.tabIndex === 0)) rove(all[0])
    })
    changes.observe(element, { childList: true, subtree: true })
    addEventListener('resize', place)
    const follow = ({ target }: Event) => {
      if (target !== element) place()
    }
    document.addEventListener('scroll', follow, { capture: true, passive: true })
    return () => {
      observer.disconnect()
      changes.disconnect()
      removeEventListener('resize', place)
      document.removeEventListener('scroll', follow, { capture: true })
    }
  }, [open, end])
  useEffect(() => {
    if (!open) return
    const chosen = panel.current?.querySelector<HTMLElement>('.item.chosen') ?? items()[0]
    rove(chosen)
    const first = panel.current?.querySelector<HTMLElement>('[autofocus],input,select,button,a[href]')
    const target = first?.classList.contains('item') ? chosen : first
    target?.focus()
    const outside = (event: Event) => {
      if (!around.current?.contains(event.target as Node)) setOpen(false)
    }
    addEventListener('pointerdown', outside)
    return () => removeEventListener('pointerdown', outside)
  }, [open])
  const keys = (event: KeyboardEvent) => {
    if (!open) {
      if (event.key === 'ArrowDown' && tabIndex === undefined) {
        event.preventDefault()
        setOpen(true)
      }
      return
    }
    if (event.key === 'Escape') {
      event.stopPropagation()
      event.preventDefault()
      return close()
    }
    const all = items()
    const focused = document.activeElement as HTMLElement
    const at = all.indexOf(focused)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (to === undefined || all.length === 0) return
    // The other keys move through the text of a field.
    if (focused instanceof HTMLInputElement && at < 0 && !(focused.type === 'search' && event.key === 'ArrowDown'))
      return
    event.preventDefault()
    event.stopPropagation()
    all.at(to % all.length)?.focus()
  }
  return (
    <div
      class="menu"
      ref={around}
      onKeyDown={keys}
      onFocusIn={({ target }) => {
        if ((target as Element).classList.contains('item')) rove(target as HTMLElement)
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !around.current?.contains(relatedTarget)) setOpen(false)
      }}
    >
      <button
        type="button"
        ref={button}
        class={style}
        disabled={disabled}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={wordless ? title : undefined}
        title={title}
        {...(tabIndex !== undefined && { tabIndex })}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      {open && (
        <div class="popover" popover="manual" id={id} ref={panel}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
