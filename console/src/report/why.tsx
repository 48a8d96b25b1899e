/** Why a record or a figure changed: the records behind it that differ, by the load that changed them. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import { allRows, type View, withUnchanged } from '../ask.js'
import {
  type CatalogueReport,
  type Flat,
  flatten,
  isNumeric,
  type Row,
  shapeOf,
  type ValueColumn,
  type Values,
  valueIn,
} from '../catalogue.js'
import { changedIn, changeOf, contribution, differenceOf } from '../differences.js'
import { counted } from '../labels.js'
import { compare, grouped, sum } from '../numbers.js'
import { Figure, Num } from '../parts/cell.js'
import { LoadName } from '../parts/load-name.js'
import { Failed } from '../parts/states.js'
import { headingOf, leastDigits, nameOf, plainText } from '../people.js'
import { grouping } from '../preferences.js'
import { Linked } from '../things/link.js'
import { type Cause, causes } from './causes.js'
import { ChangeWord, DifferenceValue } from './differences.js'
import { versionIn } from './known-words.js'
import { reportUrl } from './view.js'

/** The most records that are shown and added up. */
const MOST = 2000
/** The page shows the changes of at most this many loads separately. */
const MOST_LOADS = 12

interface Asked {
  report: CatalogueReport
  values: Values
  /** With `against`, and filters. */
  view: View
  /** Only records that differ in this field count. */
  measure?: string | undefined
  /** Only the record with this key, as JSON: others may show the same part of it. */
  keyed?: string | undefined
}

interface Found {
  readonly rows: readonly Row[]
  /** Records that differ in other fields only. */
  readonly others: number
  /** Whether these are all records that differ. */
  readonly isWhole: boolean
  /** From the newest to the oldest, as far as they are known. */
  readonly causes: readonly Cause<Row>[]
  readonly isDone: boolean
}

/** The records that differ, and which load changed which of them. */
function useCauses({ report, values, view, measure, keyed }: Asked) {
  const found = useSignal<Found | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const attempt = useSignal(0)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    found.value = undefined
    failure.value = undefined
    find({ report, values, view, measure, keyed }, signal, (next) => {
      found.value = next
    }).catch((error) => {
      if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
    })
    return () => controller.abort()
  }, [JSON.stringify([report.id, values, view, keyed]), attempt.value])
  return { found: found.value, failure: failure.value, again: () => attempt.value++ }
}

async function find(asked: Asked, signal: AbortSignal, show: (found: Found) => void): Promise<void> {
  const { report, values, view, measure, keyed } = asked
  const between = async (past: Pick<View, 'as_known' | 'against'>) => {
    const found = await allRows(report, values, { ...view, ...past }, { most: MOST, signal })
    const rows = found.rows.filter(
      (row) =>
        (measure === undefined || isDifferent(row, measure)) &&
        (keyed === undefined || JSON.stringify(differenceOf(row)?.key) === keyed),
    )
    return { ...found, rows, others: found.rows.length - rows.length, isWhole: found.total === found.rows.length }
  }
  const { version, rows, others, isWhole } = await between({})
  const known: Cause<Row>[] = []
  const found = () => ({ rows, others, isWhole, causes: [...known], isDone: false })
  show(found())
  const before = versionIn(view.against) ?? (await versionOf(asked, signal))
  // The last version may have another day as today than the same version as known.
  const asKnown = (to: number) => (to === version ? view.as_known : String(to))
  const differ = async (from: number, to: number) => {
    try {
      return (await between({ against: String(from), as_known: asKnown(to) })).rows
    } catch (error) {
      if (asFailure(error).status === 410) return undefined
      throw error
    }
  }
  for await (const cause of causes(differ, before, version, rows)) {
    const of = { rows: [...cause.found], version: cause.version }
    const whole = await withUnchanged(report, values, { as_known: asKnown(cause.version) }, of, signal)
    known.push({ ...cause, found: whole })
    show(found())
    if (known.length === MOST_LOADS) break
  }
  show({ ...found(), isDone: true })
}

const isDifferent = (row: Row, measure: string): boolean => /[1-9]/.test(contribution(row, measure))

/** The version that a day or a moment means. */
async function versionOf({ report, values, view }: Asked, signal: AbortSignal): Promise<number> {
  return (await allRows(report, values, { as_known: view.against }, { most: 1, signal })).version
}

interface WhyProps extends Asked {
  /** The figure that changed, and its record. */
  flat: Flat
  row: Row
}

/** Why a figure changed. */
export function WhyFigure({ report, values, view, flat, row, measure }: WhyProps): JSX.Element {
  const { found, failure, again } = useCauses({ report, values, view, measure })
  const least = leastDigits(flat.column as ValueColumn)
  const added =
    measure === undefined || !found?.isWhole ? undefined : sum(found.rows.map((one) => contribution(one, measure)))
  const difference = changeOf(row, flat)
  return (
    <>
      <h3>Why did this change?</h3>
      {failure !== undefined && <Failed failure={failure} again={again} />}
      {found === undefined && failure === undefined && <p class="quiet">Looking for the rows that changed it…</p>}
      {found !== undefined && (
        <>
          <p class="quiet" role="status">
            {counted(grouped(String(found.rows.length), grouping.value), 'row')} behind it{' '}
            {found.rows.length === 1 ? 'differs' : 'differ'}
            {added !== undefined && (
              <>
                , together by <Num text={added} least={least} better="neutral" />{' '}
                {difference !== undefined &&
                  (compare(added, difference) === 0 ? (
                    <span class="word good">equal to the difference</span>
                  ) : (
                    <span class="word bad">not equal: the data changed meanwhile</span>
                  ))}
              </>
            )}
            {found.others > 0 &&
              `; ${counted(grouped(String(found.others), grouping.value), 'other row differs', 'other rows differ')} in other fields`}
            {!found.isWhole && `; the first ${MOST} are shown`}
          </p>
          <Loads {...{ report, values, found, measure, least }} />
          <p>
            <a href={reportUrl(report.id, values, view)}>Open as a report</a>
          </p>
        </>
      )}
    </>
  )
}

/** Which loads changed a record. */
export function WhyRecord({ report, values, view, keyed }: Asked & { keyed: string }): JSX.Element {
  const { found, failure, again } = useCauses({ report, values, view, keyed })
  return (
    <section class="why">
      <h3>Changed by</h3>
      {failure !== undefined && <Failed failure={failure} again={again} />}
      {found === undefined && failure === undefined && <p class="quiet">Looking for the load…</p>}
      {found?.causes.map(({ after, version, found: [row] }) => (
        <div key={version}>
          <LoadName version={version} after={after} />
          {row !== undefined && found.causes.length > 1 && (
            <ChangesInLine row={row} columns={flatten(shapeOf(report, values)?.columns ?? [])} />
          )}
        </div>
      ))}
      {found !== undefined && !found.isDone && <p class="quiet">Looking for more loads…</p>}
    </section>
  )
}

/** `Closing qty 5 → 3` for each field. */
function ChangesInLine({ row, columns }: { row: Row; columns: readonly Flat[] }): JSX.Element {
  const found = differenceOf(row)
  if (found === undefined || found.change !== 'changed') return <ChangeWord change={found?.change ?? 'new'} />
  const fields = columns.filter(({ name }) => Object.hasOwn(found.fields, name))
  return (
    <ul class="changes">
      {fields.map((flat) => (
        <li key={flat.name}>
          <span class="quiet">{nameOf(flat)}</span> <DifferenceValue row={row} flat={flat} inFull />
        </li>
      ))}
    </ul>
  )
}

interface LoadsProps {
  report: CatalogueReport
  values: Values
  found: Found
  measure: string | undefined
  least: number
}

/** The differences of each load; all of them until the loads are known. */
function Loads({ report, values, found, measure, least }: LoadsProps): JSX.Element {
  const columns = flatten(shapeOf(report, values)?.columns ?? [])
  if (found.causes.length === 0)
    return (
      <>
        <Differing {...{ columns, measure, values }} rows={found.rows} />
        {!found.isDone && <p class="quiet">Looking for the loads that changed them…</p>}
      </>
    )
  return (
    <>
      {found.causes.map(({ after, version, found: rows }) => (
        <section key={version} class="why">
          <p class="by">
            <LoadName version={version} after={after} />
            {measure !== undefined && (
              <strong>
                <Num text={sum(rows.map((row) => contribution(row, measure)))} least={least} better="neutral" />
              </strong>
            )}
          </p>
          <Differing {...{ columns, rows, measure, values }} />
        </section>
      ))}
      {!found.isDone && <p class="quiet">Looking for more loads…</p>}
      {found.isDone && found.causes.length === MOST_LOADS && (
        <p class="quiet">Only the newest {MOST_LOADS} loads are shown.</p>
      )}
    </>
  )
}

/** The records that differ: the change, the figure before and after, and what names the record, but for what the request names. */
function Differing({
  columns,
  rows,
  measure,
  values,
}: {
  columns: readonly Flat[]
  rows: readonly Row[]
  measure: string | undefined
  values: Values
}) {
  const isAsked = (name: string) => Object.hasOwn(values, name)
  const changed = changedIn(rows)
  const isMixed = rows.some((row) => differenceOf(row)?.change !== 'changed')
  const texts = (flat: Flat) => new Set(rows.map((row) => JSON.stringify(valueIn(row, flat.path)))).size
  const figure = columns.find(({ name }) => name === measure)
  const unit = figure !== undefined && 'unit' in figure.column ? figure.column.unit : undefined
  const shown = columns.filter(
    (flat) =>
      flat.column.kind !== 'lines' &&
      flat.name !== measure &&
      flat.name !== unit &&
      !isAsked(flat.name) &&
      !thingsOf(flat).some(({ by }) => by.every(isAsked)) &&
      (changed.has(flat.name) || (!isNumeric(flat.column) && (rows.length === 1 || texts(flat) > 1))) &&
      rows.some((row) => ![undefined, null, ''].includes(valueIn(row, flat.path) as string)),
  )
  const place = ({ column }: Flat) => (column.kind === 'date' ? 0 : 1)
  const others = [...shown].sort((a, b) => place(a) - place(b))
  return (
    <div class="lines" role="region" aria-label="Rows that differ" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {isMixed && <th scope="col">Change</th>}
            {others.slice(0, 1).map(heading)}
            {figure !== undefined && heading(figure)}
            {figure !== undefined && (
              <th scope="col" class="right">
                Difference
              </th>
            )}
            {others.slice(1).map(heading)}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => {
            const cell = (flat: Flat) => (
              <td key={flat.name} class={isNumeric(flat.column) ? 'right' : undefined}>
                {differenceOf(row)?.change === 'changed' && changed.has(flat.name) ? (
                  <DifferenceValue row={row} flat={flat} />
                ) : (
                  <Linked row={row} flat={flat}>
                    <Figure value={valueIn(row, flat.path) ?? ''} column={flat.column as ValueColumn} record={row} />
                  </Linked>
                )}
              </td>
            )
            return (
              <tr key={at}>
                {isMixed && (
                  <td>
                    <ChangeWord change={differenceOf(row)?.change ?? 'changed'} />
                  </td>
                )}
                {others.slice(0, 1).map(cell)}
                {figure !== undefined && cell(figure)}
                {figure !== undefined && (
                  <td class="right">
                    <Num
                      text={contribution(row, figure.name)}
                      least={leastDigits(figure.column as ValueColumn)}
                      better="neutral"
                    />
                  </td>
                )}
                {others.slice(1).map(cell)}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const thingsOf = ({ column }: Flat) => ('things' in column ? (column.things ?? []) : [])

const heading = (flat: Flat): JSX.Element => (
  <th
    key={flat.name}
    scope="col"
    class={isNumeric(flat.column) ? 'right' : undefined}
    title={plainText(flat.column.description)}
  >
    {headingOf(flat)}
  </th>
)
