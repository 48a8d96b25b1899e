/** A modal dialog of the browser, which keeps the focus inside and returns it afterwards. */
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  title: string
  class?: string
  /** Undefined for a dialog that cannot be dismissed. */
  onClose?: (() => void) | undefined
  children: ComponentChildren
}

export function Dialog({ title, class: style = '', onClose, children }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  // A layout effect, so that it runs before the next key arrives: people may go on typing at once.
  const gone = useRef(false)
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    const element = dialog.current
    element?.showModal()
    return () => {
      gone.current = true
      element?.close() // until then nothing outside can take the focus
      // The element that opened it may have been removed.
      ;(before?.isConnected ? before : document.querySelector<HTMLElement>('#main'))?.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={style}
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault() // browsers close a dialog that refuses its cancel event twice
        event.stopPropagation()
        onClose?.()
      }}
      onClose={() => {
        if (gone.current) return
        if (onClose === undefined) dialog.current?.showModal()
        else onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose?.()
      }}
    >
      <div class="inside">{children}</div>
    </dialog>
  )
}
