/** The name of a load as a link to its page. */
import type { JSX } from 'preact'
import { clock } from '../dates.js'
import { filesInWords, loadOf } from '../loads.js'

interface Props {
  version: number
  after?: number
  /** With its time, and nothing else about it. */
  isShort?: boolean
}

/** `after` is the version before it; if versions between them are not kept, the name is that of all these loads. */
export function LoadName({ version, after = version - 1, isShort = false }: Props): JSX.Element {
  const load = loadOf(version)
  const time = load && clock(load.loaded_at)
  const more = [load?.source && filesInWords(load.source), load?.actor && `by ${load.actor}`]
  const about = isShort ? [time] : [time, ...more]
  return (
    <span class="load-name">
      {after < version - 1 ? (
        <>
          Loads {after + 1} to {version}
        </>
      ) : (
        <a href={loadUrl(version)}>Load {version}</a>
      )}{' '}
      <span class="quiet">{about.filter(Boolean).join(' · ')}</span>
    </span>
  )
}

export const loadUrl = (version: number): string => `/loads/${version}`
