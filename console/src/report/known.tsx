/** The report as an earlier load left it, and what changed since: the two chips beside the dates, and the note above the table. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import type { View } from '../ask.js'
import { periodInWords } from '../closed/periods.js'
import { accountZone, clock, today } from '../dates.js'
import { fetchLoads, filesInWords, type KeptLoad } from '../loads.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { newestVersion } from '../session.js'
import { changesInWords, knownInWords, momentInShort, pastOf, versionIn } from './known-words.js'

type Past = Pick<View, 'as_known' | 'against'>

interface Props {
  past: Past
  onChange: (past: Past) => void
}

export function KnownChips({ past, onChange }: Props): JSX.Element {
  const { as_known, against } = past
  const shown = as_known === undefined ? 'now' : momentInShort(as_known)
  const limit = versionIn(as_known) ?? newestVersion.value
  return (
    <>
      <Menu
        class={as_known === undefined ? 'chip' : 'chip on'}
        label={
          <>
            <Icon name="clock" />
            <span class="quiet">As of</span> <strong>{shown}</strong>
            <Icon name="down" />
          </>
        }
        title={`As of ${shown}: show the report as an earlier load left it`}
      >
        {(close) => (
          <Moments
            about="The report as it was known earlier, before later loads changed anything."
            none="Now"
            chosen={as_known}
            before={newestVersion.value}
            onChoose={(next) => {
              close()
              onChange({ as_known: next })
            }}
          />
        )}
      </Menu>
      <Menu
        class={against === undefined ? 'chip' : 'chip on'}
        label={
          <>
            <Icon name="difference" />
            {against === undefined ? (
              <span class="what-changed">What changed</span>
            ) : (
              <>
                <span class="quiet">Changed since</span> <strong>{momentInShort(against)}</strong>
              </>
            )}
            <Icon name="down" />
          </>
        }
        title="What changed since an earlier load"
      >
        {(close) => (
          <Moments
            about={`The rows that are new, gone or changed since then, up to ${shown}.`}
            none="All rows, without a comparison"
            chosen={against}
            before={limit}
            onChoose={(next) => {
              close()
              onChange({ against: next })
            }}
          />
        )}
      </Menu>
    </>
  )
}

interface MomentsProps {
  about: string
  /** In place of an earlier load. */
  none: string
  chosen: string | undefined
  /** Only loads before this version. */
  before: number
  onChoose: (moment: string | undefined) => void
}

/** Recent loads, and a field for a day. */
function Moments({ about, none, chosen, before, onChoose }: MomentsProps): JSX.Element {
  const loads = useSignal<readonly KeptLoad[]>([])
  const more = useSignal<boolean | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const day = useSignal(chosen !== undefined && /^\d{4}-/.test(chosen) ? chosen.slice(0, 10) : '')
  const fetchMore = () => {
    fetchLoads(loads.peek().at(-1)?.version ?? before, SHOWN).then(
      (found) => {
        loads.value = [...loads.peek(), ...found.loads]
        more.value = found.more
      },
      (error) => {
        failure.value = asFailure(error)
      },
    )
  }
  useEffect(fetchMore, [])
  return (
    <div class="items moments">
      <p class="about">{about}</p>
      <button
        type="button"
        class={chosen === undefined ? 'item chosen' : 'item'}
        aria-pressed={chosen === undefined}
        onClick={() => onChoose(undefined)}
      >
        {none}
      </button>
      <div class="scroll" role="group" aria-label="Loads">
        {loads.value.map(({ version, loaded_at, source, periods }) => {
          const isChosen = String(version) === chosen
          return (
            <button
              key={version}
              type="button"
              class={isChosen ? 'item chosen' : 'item'}
              aria-pressed={isChosen}
              title={source?.join(', ')}
              onClick={() => onChoose(String(version))}
            >
              <span>
                Load {version}
                {periods.length > 0 && <small>{periods.map(periodInWords).join(', ')} as closed</small>}
              </span>
              <span class="quiet">
                {clock(loaded_at)}
                {source && <small class="clip">{filesInWords(source)}</small>}
              </span>
            </button>
          )
        })}
        {more.value && (
          <button type="button" class="item" onClick={fetchMore}>
            Earlier loads…
          </button>
        )}
        {more.value === false && loads.value.length === 0 && <p class="about">No earlier load is kept.</p>}
      </div>
      {failure.value !== undefined && <p class="about">The loads cannot be listed: {failure.value.message}</p>}
      <form
        class="one day"
        onSubmit={(event) => {
          event.preventDefault()
          if (day.value !== '') onChoose(day.value)
        }}
      >
        <label>
          End of the day{accountZone.value === undefined ? '' : `, ${accountZone.value}`}
          <input
            type="date"
            required
            max={today()}
            value={day.value}
            onInput={({ currentTarget }) => {
              day.value = currentTarget.value
            }}
          />
        </label>
        <button type="submit" class="button primary">
          Show
        </button>
      </form>
    </div>
  )
}

/** Loads that the list begins with, and that each further step adds. */
const SHOWN = 8

/** Says that the page does not show the present. */
export function PastNote({ past, version, onChange }: Props & { version: number | undefined }): JSX.Element | null {
  const { as_known, against } = past
  if (as_known === undefined && against === undefined) return null
  const link = (text: string, next: Past) => (
    <button type="button" class="link" onClick={() => onChange(next)}>
      {text}
    </button>
  )
  return (
    <p class="note past" role="status">
      <Icon name={against === undefined ? 'clock' : 'difference'} />
      <strong>
        {against === undefined ? knownInWords(as_known as string, version) : changesInWords(past)}
        {'.'}
      </strong>{' '}
      {against === undefined ? (
        <>
          Later loads are left out. {link('What changed since then', { as_known: undefined, against: as_known })} ·{' '}
          {link('Show now', { as_known: undefined })}
        </>
      ) : (
        <>
          {link('Show all rows', { against: undefined })}
          {as_known !== undefined && <> · {link('Compare with now', { as_known: undefined })}</>}
        </>
      )}
    </p>
  )
}

const NAMES: Readonly<Record<string, string>> = { as_known: 'As of', against: 'What changed since' }

/** Whether the service refused the earlier version, not the report. */
export const isOfPast = ({ status, errors }: Failure, { as_known, against }: View): boolean =>
  (as_known !== undefined || against !== undefined) &&
  (status === 410 || (status === 422 && errors.length > 0 && errors.every(({ field }) => field in NAMES)))

/** An earlier version that is not kept, or is to come. */
export function PastFailed({ failure, view, onChange }: { failure: Failure; view: View; onChange: Props['onChange'] }) {
  const { as_known, against } = pastOf(view)
  return (
    <div class="state" role="alert">
      <Icon name="warning" />
      <p>
        {as_known !== undefined && against === undefined
          ? 'The report cannot be shown as it was known then.'
          : 'These two states of the report cannot be compared.'}
      </p>
      {failure.detail !== undefined ? (
        <p>{failure.detail}</p>
      ) : (
        <ul class="faults">
          {failure.errors.map(({ field, message }) => (
            <li key={field}>
              <strong>{NAMES[field]}</strong> {message}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">Choose another load or day above.</p>
      <button
        type="button"
        class="button primary"
        onClick={() => onChange({ as_known: undefined, against: undefined })}
      >
        Show now
      </button>
    </div>
  )
}
