/** The line under the parameters: the number of rows, their version, and whether they are old. */
import type { JSX } from 'preact'
import type { Rows, View } from '../ask.js'
import { clock } from '../dates.js'
import { counted, labelOf } from '../labels.js'
import { loadOf } from '../loads.js'
import { grouped } from '../numbers.js'
import { useLasting } from '../parts/states.js'
import { grouping } from '../preferences.js'
import { loadedAt, newestVersion } from '../session.js'

interface Props {
  rows: Rows
  /** `group` if the rows are groups. */
  noun: 'row' | 'group'
  /** The earlier version that the rows are of, or that they are compared with. */
  past?: Pick<View, 'as_known' | 'against'>
  sort: string | undefined
  busy: boolean
  /** Whether the service would send other rows now. */
  old: boolean
  onNewer: () => void
  onStop: () => void
}

/** "by Closing value ↓": the sorted column may be out of view. */
const sortInWords = (sort: string): string =>
  sort
    .split(',')
    .map((one) => (one.startsWith('-') ? `${labelOf(one.slice(1))} ↓` : `${labelOf(one)} ↑`))
    .join(', ')

export function StatusLine({ rows, noun, past = {}, sort, busy, old, onNewer, onStop }: Props): JSX.Element {
  const slow = useLasting(busy, 2000)
  const total = rows.total.value
  const version = rows.version.value
  const loaded = loadedAt.get(version ?? 0) ?? loadOf(past.as_known === undefined ? undefined : version)?.loaded_at
  const about = [
    sort && `by ${sortInWords(sort)}`,
    `version ${version}${loaded === undefined ? '' : `, loaded ${clock(loaded)}`}`,
  ]
    .filter(Boolean)
    .join(' · ')
  return (
    <>
      {total === undefined ? (
        <span class="clip">{busy ? 'Working…' : ' '}</span>
      ) : (
        <span class="clip" title={about}>
          <strong>
            {counted(grouped(String(total), grouping.value), past.against === undefined ? noun : `changed ${noun}`)}
          </strong>{' '}
          · {about}
          <span class="took"> · {rows.took.value} ms</span>
        </span>
      )}
      {old && <span class="word warn">old, fetched {clock(rows.fetchedAt.value ?? '')}</span>}
      {!old && past.as_known === undefined && version !== undefined && newestVersion.value > version && (
        <button type="button" class="link" onClick={onNewer}>
          Newer data is available · show it
        </button>
      )}
      {slow && (
        <span>
          The service is computing this report.{' '}
          <button type="button" class="link" onClick={onStop}>
            Stop
          </button>
        </span>
      )}
    </>
  )
}
