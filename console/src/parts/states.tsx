/** Empty, failed and slow states of a page. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Failure } from '../api.js'
import { Icon } from './icons.js'

export const Failed = ({ failure, again }: { failure: Failure; again?: (() => void) | undefined }): JSX.Element => (
  <div class="state" role="alert">
    <Icon name="warning" />
    <p>{failure.message}</p>
    {failure.requestId && <p class="quiet">Request {failure.requestId}: name it when you ask your operator.</p>}
    {again && (
      <button type="button" class="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
)

export const Nothing = ({ children }: { children: ComponentChildren }): JSX.Element => (
  <div class="state" role="status">
    {children}
  </div>
)

/** True once `busy` has lasted so long: what is quick shows no sign of waiting. */
export function useLasting(busy: boolean, ms: number): boolean {
  const [lasting, setLasting] = useState(false)
  useEffect(() => {
    setLasting(false)
    if (!busy) return
    const timer = setTimeout(() => setLasting(true), ms)
    return () => clearTimeout(timer)
  }, [busy, ms])
  return lasting
}
