/** The chart of the groups of a view: fetches them, and shows their drawing with a title, a legend, a note and the numbers as a table. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { Failure } from '../api.js'
import { asFailure } from '../api.js'
import type { View } from '../ask.js'
import type { CatalogueReport, Values } from '../catalogue.js'
import { account } from '../company.js'
import { nameOf } from '../people.js'
import type { Answer } from './answer.js'
import { BarList } from './drawing/bar-list.js'
import { Columns, type Kind } from './drawing/columns.js'
import { exact } from './drawing/words.js'
import { type Graph, graphOf, type Slot, unitInWords } from './graph.js'
import { keyInWords } from './group-words.js'
import { type Figure, type Groups, groupsOf, isOverTime, viewOfFigure } from './groups.js'

/** The most groups that a chart fetches, in one request. */
const MOST = 5000

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  answer: Answer
  figure: Figure
  /** Undefined for the kind that fits. */
  kind: Kind | undefined
}

export function GroupChart({ report, values, view, answer, figure, kind }: Props): JSX.Element {
  const found = useSignal<{ groups: Groups; question: string } | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const again = useSignal(0)
  const unit = useSignal<string | undefined>(undefined)
  const isTime = isOverTime(answer.keys)
  const asked = { ...viewOfFigure(view, figure, isTime ? undefined : 'largest') }
  const question = JSON.stringify([values, asked, figure.flat.name])
  useEffect(() => {
    const controller = new AbortController()
    failure.value = undefined
    groupsOf(report, values, asked, MOST, controller.signal).then(
      (groups) => {
        found.value = { groups, question }
      },
      (error: Error) => {
        if (error.name !== 'AbortError') failure.value = asFailure(error)
      },
    )
    return () => controller.abort()
  }, [question, again.value])
  const groups = found.value?.groups
  const graph = useMemo(
    () => groups && graphOf({ report, values, view: asked }, groups, figure, unit.value),
    [groups, unit.value],
  )
  if (failure.value !== undefined)
    return (
      <section class="chart-band" aria-label="Chart">
        <p class="note bad" role="alert">
          The chart could not be drawn: {failure.value.message}{' '}
          <button type="button" class="link" onClick={() => again.value++}>
            Try again
          </button>
        </p>
      </section>
    )
  const by = answer.keys.filter(({ isUnit }) => !isUnit).map(keyInWords)
  const shownUnit = unitInWords(figure, graph?.unit, account.value?.currency)
  const title = `${nameOf(figure.flat)}${shownUnit === undefined ? '' : `, ${shownUnit}`}`
  return (
    <section
      class="chart-band"
      aria-label={`${title} by ${by.join(' and ')}`}
      aria-busy={found.value?.question !== question}
    >
      {graph === undefined ? (
        <div class="graph-wait" />
      ) : graph.slots.length === 0 ? (
        <p class="quiet">No rows match, so there is nothing to draw.</p>
      ) : (
        <figure class="graph">
          <figcaption>
            <strong>{title}</strong>
            {graph.units.length > 1 && (
              <label class="unit">
                <span class="unseen">Unit</span>
                <select
                  aria-label="Unit of the chart"
                  value={graph.unit}
                  onChange={({ currentTarget }) => {
                    unit.value = currentTarget.value
                  }}
                >
                  {graph.units.map((one) => (
                    <option key={one} value={one}>
                      {one === '' ? 'no unit' : one}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <Legend graph={graph} />
          </figcaption>
          {graph.isTime ? (
            <Columns graph={graph} kind={kind ?? 'bars'} unit={shownUnit} title={title} />
          ) : (
            <BarList graph={graph} isStacked={kind === 'stacked'} unit={shownUnit} />
          )}
          <Numbers graph={graph} title={title} />
          {(graph.note !== undefined || graph.slots.some(({ unfinished }) => unfinished)) && (
            <p class="quiet graph-note">
              {graph.slots.some(({ unfinished }) => unfinished) && <UnfinishedWords slots={graph.slots} />} {graph.note}
            </p>
          )}
        </figure>
      )}
    </section>
  )
}

const UnfinishedWords = ({ slots }: { slots: readonly Slot[] }) => (
  <span class="hatch-key">
    Unfinished: {slots.flatMap(({ label, unfinished }) => (unfinished ? [`${label} (${unfinished})`] : [])).join(', ')}.
  </span>
)

function Legend({ graph: { series, isCompared } }: { graph: Graph }): JSX.Element | null {
  if (series.length < 2 && !isCompared) return null
  return (
    <span class="legend">
      {series.length > 1 ? (
        series.map((name, at) => (
          <span key={name} class={`key g${at}`}>
            {name}
          </span>
        ))
      ) : (
        <>
          <span class="key g0">this period</span>
          <span class="key was">before</span>
        </>
      )}
    </span>
  )
}

/** The whole chart as a table, for screen readers. */
function Numbers({ graph: { slots, series, isCompared }, title }: { graph: Graph; title: string }): JSX.Element {
  return (
    <table class="unseen">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Group</th>
          {series.flatMap((name) => [
            <th key={name} scope="col">
              {name || title}
            </th>,
            ...(isCompared ? [<th key={`${name} before`} scope="col">{`${name || title}, before`}</th>] : []),
          ])}
        </tr>
      </thead>
      <tbody>
        {slots.map(({ label, values, unfinished }) => (
          <tr key={label}>
            <th scope="row">{unfinished === undefined ? label : `${label}, ${unfinished}`}</th>
            {values.flatMap(({ now, before }, at) => [
              <td key={at}>{exact(now)}</td>,
              ...(isCompared ? [<td key={`${at} before`}>{exact(before)}</td>] : []),
            ])}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
