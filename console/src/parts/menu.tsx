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
  children: (close: () => void) => ComponentChildren
}

export function Menu({
  label,
  title,
  wordless = false,
  class: style = 'chip',
  end = false,
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
  useEffect(() => {
    if (!open) return
    const panel = around.current?.querySelector<HTMLElement>('.popover')
    panel?.querySelector<HTMLElement>('[autofocus],input,select,button,a[href]')?.focus()
    const outside = (event: Event) => {
      if (!around.current?.contains(event.target as Node)) setOpen(false)
    }
    addEventListener('pointerdown', outside)
    return () => removeEventListener('pointerdown', outside)
  }, [open])
  const keys = (event: KeyboardEvent) => {
    if (!open) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const items = [
        ...(around.current?.querySelectorAll<HTMLElement>('.popover [role=menuitem], .popover .item') ?? []),
      ]
      const at = items.indexOf(document.activeElement as HTMLElement)
      if (items.length === 0 || (at < 0 && document.activeElement instanceof HTMLInputElement)) return
      event.preventDefault()
      items[(at + (event.key === 'ArrowDown' ? 1 : items.length - 1) + items.length) % items.length]?.focus()
    }
  }
  return (
    <div class="menu" ref={around} onKeyDown={keys}>
      <button
        type="button"
        ref={button}
        class={style}
        aria-expanded={open}
        aria-controls={id}
        aria-label={wordless ? title : undefined}
        title={title}
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
