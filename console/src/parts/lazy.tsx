/** Pages whose script no first view needs. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import { Failed } from './states.js'

export function lazily(load: () => Promise<() => JSX.Element>): () => JSX.Element {
  let loaded: (() => JSX.Element) | undefined
  return function Lazy(): JSX.Element {
    const [, setLoaded] = useState(false)
    const [failure, setFailure] = useState<Failure | undefined>(undefined)
    const fetch = () => {
      setFailure(undefined)
      load().then(
        (page) => {
          loaded = page
          setLoaded(true)
        },
        (error) => setFailure(asFailure(error)),
      )
    }
    useEffect(() => {
      if (loaded === undefined) fetch()
    }, [])
    if (failure !== undefined) return <Failed failure={failure} again={fetch} />
    const Page = loaded
    return Page === undefined ? <div class="content" aria-busy="true" /> : <Page />
  }
}
