/** A component whose script is loaded when it is first shown. */
import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element | null {
  let found: ComponentType<P> | undefined
  return function Lazy(props: P) {
    const [, setReady] = useState(found !== undefined)
    const [failed, setFailed] = useState(false)
    const begin = () => {
      setFailed(false)
      load().then(
        (component) => {
          found = component
          setReady(true)
        },
        () => setFailed(true),
      )
    }
    useEffect(() => {
      if (found === undefined) begin()
    }, [])
    if (found !== undefined) {
      const Found = found
      return <Found {...props} />
    }
    if (!failed) return <div class="lazy" aria-busy="true" />
    return (
      <p class="note bad" role="alert">
        This part of the page could not be loaded.{' '}
        <button type="button" class="link" onClick={begin}>
          Try again
        </button>
      </p>
    )
  }
}
