/** A button that opens a small panel under it; Escape, a click elsewhere and a choice close it. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface Props {
  /** The content of the button. */
  label: ComponentChildren
  title?: string
  /** The title names the button, which may have no words. */
  wordless?: boolean
  class?: string
  /** Opens to the left. */
  end?: boolean
  /** Tab index of the button, if a parent manages the focus. */
  tabIndex?: number
  children: (close: () => void) => ComponentChildren
}

export function Menu({
  label,
  title,
  wordless = false,
  class: style = 'chip',
  end = false,
  tabIndex,
  children,
}: Props): JSX.Element {
  const [open, setOpen] = useState(false)
  const around = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
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
  useEffect(() => {
    if (!open) return
    const panel = around.current?.querySelector<HTMLElement>('.popover')
    const chosen = panel?.querySelector<HTMLElement>('.item.chosen') ?? items()[0]
    rove(chosen)
    const first = panel?.querySelector<HTMLElement>('[autofocus],input,select,button,a[href]')
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
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (to === undefined || all.length === 0 || (at < 0 && document.activeElement instanceof HTMLInputElement)) return
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
        <div class={end ? 'popover end' : 'popover'} id={id}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
