/** The values of a column with the number of rows of each, from the service: the most frequent first, and a search over all. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import { type View, valueCounts } from '../ask.js'
import { type CatalogueReport, type Flat, shapeOf, type ValueColumn, type Values } from '../catalogue.js'
import { grouped } from '../numbers.js'
import { useLasting } from '../parts/states.js'
import { inWordsOf } from '../people.js'
import { grouping } from '../preferences.js'
import { filterText, literal } from './filters.js'

interface Props {
  report: CatalogueReport
  values: Values
  /** The other filters and the search. */
  view: View
  flat: Flat
  chosen: readonly string[]
  onChoose: (values: readonly string[]) => void
}

interface Found {
  readonly counts: readonly { readonly value: string; readonly rows: number }[]
  /** Number of different values. */
  readonly total: number
}

const FIRST = 50
const PAUSE_MS = 200

export function ValueList({ report, values, view, flat, chosen, onChoose }: Props): JSX.Element {
  const column = flat.column as ValueColumn
  const found = useSignal<Found | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const [text, setText] = useState('')
  // The service compares the value itself, so a search over few words stays here.
  const isText = column.kind === 'text'
  const search = isText ? text.trim() : ''
  useEffect(() => {
    const controller = new AbortController()
    const timer = setTimeout(
      () => {
        valueCounts(
          report,
          values,
          countedView(report, values, view, flat, search),
          flat,
          FIRST,
          controller.signal,
        ).then(
          (counts) => {
            found.value = counts
            failure.value = undefined
          },
          (error) => {
            if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
          },
        )
      },
      search === '' ? 0 : PAUSE_MS,
    )
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [flat.name, search])
  const waits = useLasting(found.value === undefined && failure.value === undefined, 150)
  const counts = found.value?.counts ?? []
  const listed = counts.map(({ value }) => value)
  // Words that no row has, and ticked values outside of the first ones, can be chosen too.
  const declared = column.kind === 'word' ? column.words : column.kind === 'flag' ? ['true', 'false'] : []
  const more = [...new Set([...chosen, ...declared])].filter((value) => !listed.includes(value))
  const all = [...counts, ...more.map((value) => ({ value, rows: undefined }))].filter(
    ({ value }) => search !== '' || inWordsOf(value, column).toLowerCase().includes(text.trim().toLowerCase()),
  )
  const total = found.value?.total ?? 0
  return (
    <fieldset class="values" aria-busy={found.value === undefined}>
      <legend>Values</legend>
      {(total > 8 || text !== '') && (
        <input
          type="search"
          placeholder="Find a value"
          aria-label="Find a value"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {failure.value !== undefined && (
        <p class="wrong" role="alert">
          {failure.value.message}
        </p>
      )}
      <div class="scroll">
        {waits && [1, 2, 3].map((line) => <p key={line} class="skeleton line" />)}
        {all.map(({ value, rows }) => (
          <label key={value} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ currentTarget }) =>
                onChoose(currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
              }
            />
            <bdi class="clip">{value === '' ? 'empty' : inWordsOf(value, column)}</bdi>
            {rows !== undefined && (
              <span class="count" aria-hidden="true">
                {grouped(String(rows), grouping.value)}
              </span>
            )}
          </label>
        ))}
        {found.value !== undefined && all.length === 0 && <p class="quiet">No value has this text.</p>}
      </div>
      {total > counts.length && (
        <p class="quiet">
          The {counts.length} most frequent of {grouped(String(total), grouping.value)}; find others by their text.
        </p>
      )}
    </fieldset>
  )
}

/** The rows to count: also those of cancelled documents, which are rows of the table too. */
function countedView(report: CatalogueReport, values: Values, view: View, flat: Flat, search: string): View {
  const cancelled = shapeOf(report, values)?.cancelled
  return {
    ...view,
    filter: [
      ...(view.filter ?? []),
      ...(search === '' ? [] : [filterText({ field: flat.name, operator: '~', value: literal(search) })]),
      // A filter that names the field of the state includes them; every record has a state.
      ...(cancelled === undefined ? [] : [filterText({ field: cancelled.field, operator: '!=', value: '' })]),
    ],
  }
}
