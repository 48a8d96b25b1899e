/** Asks for a view's name, its dates and its readers, and stores it. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { groups as allGroups, type Group } from '../../../src/groups.js'
import { asFailure } from '../api.js'
import type { CatalogueReport } from '../catalogue.js'
import { inWords, rangeInWords } from '../dates.js'
import { GROUPS } from '../labels.js'
import { Dialog } from '../parts/dialog.js'
import { hasRange, type ReportView, rangeOf } from '../report/view.js'
import { definitionOf, periodWord, type SavedView, type Shared, storeView } from './saved.js'

interface Props {
  report: CatalogueReport
  shown: Pick<ReportView, 'values' | 'view' | 'show' | 'figure'>
  /** The view to change; undefined for a new one. */
  saved?: SavedView | undefined
  /** The name to begin with. */
  name?: string
  onClose: () => void
  onStored: (stored: SavedView) => void
}

const groupName = (group: string): string => GROUPS.find(([name]) => name === group)?.[1] ?? group

export function SaveDialog({ report, shown, saved, name: initial, onClose, onStored }: Props): JSX.Element {
  const [name, setName] = useState(saved?.name ?? initial ?? '')
  const [shared, setShared] = useState<Shared>(saved?.shared ?? 'nobody')
  const word = periodWord(report, shown.values, shown.view.compare)
  const found = saved?.period ?? word?.word
  const [moves, setMoves] = useState(saved === undefined ? found !== undefined : saved.period !== undefined)
  const failure = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  const dates = datesInWords(report, shown.values)
  const chosen = typeof shared === 'string' ? [] : shared
  const title = saved === undefined ? 'Save this view' : 'Name and readers'

  async function submit(): Promise<void> {
    busy.value = true
    failure.value = undefined
    try {
      const definition = definitionOf(report, shown, { name: name.trim(), shared, period: moves ? found : undefined })
      onStored(await storeView(definition, saved?.id))
    } catch (error) {
      failure.value = asFailure(error).message
    } finally {
      busy.value = false
    }
  }
  const readers = (value: 'nobody' | 'everyone' | 'groups', text: string) => (
    <label class="check">
      <input
        type="radio"
        name="readers"
        checked={value === 'groups' ? typeof shared !== 'string' : shared === value}
        onChange={() => setShared(value === 'groups' ? [report.group] : value)}
      />
      {text}
    </label>
  )
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <h2>{title}</h2>
        <label>
          Name
          <input
            type="text"
            required
            autoFocus
            maxLength={200}
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        {dates !== undefined && found !== undefined && (
          <fieldset>
            <legend>Dates</legend>
            <label class="check">
              <input type="radio" name="dates" checked={moves} onChange={() => setMoves(true)} />
              <span>
                {word?.word === found ? word.name : found} <span class="quiet">moves on with the calendar</span>
              </span>
            </label>
            <label class="check">
              <input type="radio" name="dates" checked={!moves} onChange={() => setMoves(false)} />
              <span>
                {dates} <span class="quiet">stays as it is</span>
              </span>
            </label>
          </fieldset>
        )}
        <fieldset>
          <legend>Who sees it</legend>
          {readers('nobody', 'Only you')}
          {readers('everyone', 'Everyone')}
          {readers('groups', 'Users who may see')}
          {typeof shared !== 'string' && (
            <div class="shared-groups">
              {allGroups.map((group: Group) => (
                <label key={group} class="check">
                  <input
                    type="checkbox"
                    checked={chosen.includes(group)}
                    onChange={({ currentTarget }) =>
                      setShared(currentTarget.checked ? [...chosen, group] : chosen.filter((one) => one !== group))
                    }
                  />
                  {groupName(group)}
                </label>
              ))}
            </div>
          )}
          {(shown.view.as_known ?? shown.view.against) !== undefined && (
            <p class="quiet">The view shows the present. To keep an earlier load, copy the address of the page.</p>
          )}
          <p class="quiet">
            Readers get the data within their own rights. The view shows {report.title}, so they need access to{' '}
            {groupName(report.group)}.
          </p>
        </fieldset>
        {failure.value !== undefined && (
          <p class="wrong" role="alert">
            {failure.value}
          </p>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            disabled={busy.value || name.trim() === '' || (typeof shared !== 'string' && chosen.length === 0)}
          >
            Save
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function datesInWords(report: CatalogueReport, values: Readonly<Record<string, string>>): string | undefined {
  const range = hasRange(report) ? rangeOf(values) : undefined
  if (range !== undefined) return rangeInWords(range)
  const date = values['date']
  return date === undefined ? undefined : inWords(date)
}
