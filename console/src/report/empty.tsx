/** The state of an empty report: the reason, and the date of the last record. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { allRows, type View } from '../ask.js'
import { type CatalogueReport, type Flat, type Values, valueIn } from '../catalogue.js'
import { inWords, monthInWords, monthOf, rangeInWords } from '../dates.js'
import { Nothing } from '../parts/states.js'
import { isolated } from '../people.js'
import { filterInWords } from './filters.js'
import { hasRange, rangeOf } from './view.js'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  columns: readonly Flat[]
  onChange: (changes: Record<string, string | readonly string[] | undefined>) => void
}

const EARLIEST = '1990-01-01'

export function Empty({ report, values, view, columns, onChange }: Props): JSX.Element {
  const narrowed = (view.filter?.length ?? 0) > 0 || view.search !== undefined
  const range = hasRange(report) ? rangeOf(values) : undefined
  const dated = columns.find(({ column }) => column.kind === 'date' || column.kind === 'timestamp')
  const last = useSignal<string | undefined>(undefined)
  useEffect(() => {
    if (narrowed || range === undefined || dated === undefined) return
    const controller = new AbortController()
    const before = { ...values, from_date: EARLIEST }
    allRows(
      report,
      before,
      { sort: `-${dated.name}`, as_known: view.as_known },
      { most: 1, signal: controller.signal },
    ).then(
      ({ rows: [row] }) => {
        if (row) last.value = String(valueIn(row, dated.path)).slice(0, 10)
      },
      () => {}, // the date is then left out
    )
    return () => controller.abort()
  }, [])
  if (narrowed)
    return (
      <Nothing>
        <p>
          No row matches
          {view.search !== undefined && ` the words “${isolated(view.search)}”`}
          {view.search !== undefined && (view.filter?.length ?? 0) > 0 && ' and'}
          {(view.filter ?? []).map((text) => ` ${filterInWords(text, columns)}`).join(' and')}.
        </p>
        <button type="button" class="button" onClick={() => onChange({ filter: undefined, search: undefined })}>
          Show all rows
        </button>
      </Nothing>
    )
  return (
    <Nothing>
      <p>
        {range === undefined ? 'There is nothing here yet.' : `Nothing between ${rangeInWords(range)}.`}
        {last.value !== undefined && ` The last record is from ${inWords(last.value)}.`}
      </p>
      {last.value === undefined ? (
        <p class="quiet">{range === undefined ? 'A load of data adds rows.' : 'Choose another range above.'}</p>
      ) : (
        <button
          type="button"
          class="button primary"
          onClick={() => {
            const { from, to } = monthOf(last.value as string)
            onChange({ from_date: from, to_date: to })
          }}
        >
          Show {monthInWords(last.value)}
        </button>
      )}
    </Nothing>
  )
}
