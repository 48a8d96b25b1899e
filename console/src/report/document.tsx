/** A record with lines as a document on paper: its head, its lines, its totals. */
import type { JSX } from 'preact'
import {
  type Flat,
  flatten,
  isAbsent,
  isNumeric,
  type LinesColumn,
  type Row,
  type ValueColumn,
  valueIn,
} from '../catalogue.js'
import { account } from '../company.js'
import { labelOf } from '../labels.js'
import { Figure } from '../parts/cell.js'
import { headingOf, isolated, shownText } from '../people.js'
import { isBlank, LinesTable } from './lines.js'

interface Props {
  /** Of the report: "Invoices". */
  title: string
  row: Row
  /** In the order of the record. */
  columns: readonly Flat[]
  /** The fields of its key. */
  keyFields: readonly string[]
}

export function DocumentSheet({ title, row, columns, keyFields }: Props): JSX.Element {
  const single = columns.filter(({ column }) => column.kind !== 'lines').filter((flat) => !isBlank(flat, [row]))
  const number = single.find(({ name, column }) => keyFields.includes(name) && column.kind === 'text')
  const texts = single.filter((flat) => flat !== number && !isTotal(flat))
  const groups = groupsOf(texts.filter(({ path }) => path.length > 1))
  const addresses = groups.filter(([, fields]) => fields.length > 1)
  const isInAddress = (flat: Flat) => addresses.some(([, fields]) => fields.includes(flat))
  const facts = texts.filter((flat) => !isInAddress(flat) && isFact(flat, row))
  const totals = single.filter((flat) => isTotal(flat) && isShown(flat, row))
  return (
    <article class="document">
      <h2>
        {singular(title)} <bdi>{number === undefined ? '' : String(valueIn(row, number.path))}</bdi>
      </h2>
      <dl class="facts">
        {facts.map((flat) => (
          <div key={flat.name}>
            <dt>{headingOf(flat)}</dt>
            <dd>
              <Figure value={valueIn(row, flat.path)} column={flat.column as ValueColumn} record={row} />
            </dd>
          </div>
        ))}
      </dl>
      {addresses.length > 0 && (
        <div class="addresses">
          {addresses.map(([name, [first, ...rest]]) => (
            <section key={name}>
              <h3>{labelOf(name)}</h3>
              {first !== undefined && <strong>{wordsIn(first, row)}</strong>}
              <p>{rest.map((flat) => wordsIn(flat, row)).join(', ')}</p>
            </section>
          ))}
        </div>
      )}
      {listsOf(columns, row).map(({ column, lines }) => (
        <section key={column.name}>
          <h3>{labelOf(column.name)}</h3>
          <LinesTable column={column} lines={lines} record={row} />
        </section>
      ))}
      {totals.length > 0 && (
        <dl class="sums">
          {totals.map((flat) => (
            <div key={flat.name}>
              <dt>{labelOf(flat.name)}</dt>
              <dd>
                <Figure value={valueIn(row, flat.path)} column={flat.column as ValueColumn} record={row} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </article>
  )
}

/** "Invoice" for "Invoices". */
const singular = (title: string): string => (/ of /.test(title) ? title : title.replace(/s$/, ''))

const wordsIn = ({ path, column }: Flat, row: Row): string =>
  isolated(shownText(String(valueIn(row, path)), column as ValueColumn))

/** Numbers inside the service are left out, and the currency of a document in the account's. */
function isFact({ name, column, isFirst }: Flat, row: Row): boolean {
  const isForeign = typeof row['currency'] === 'string' && row['currency'] !== account.value?.currency
  if (name === 'currency' || name === 'exchange_rate') return isForeign
  return isFirst || !isNumeric(column) || ('unit' in column && column.unit !== undefined)
}

/** The lists of a document without fields of a line that the document has too, with the same value. */
function listsOf(columns: readonly Flat[], row: Row): { column: LinesColumn; lines: Row[] }[] {
  return columns.flatMap(({ column, path }) => {
    const lines = column.kind === 'lines' ? ((valueIn(row, path) as Row[] | undefined) ?? []) : []
    if (column.kind !== 'lines' || lines.length === 0) return []
    const own = column.columns.filter(
      ({ name, kind }) => kind === 'nested' || !lines.every((line) => line[name] === row[name]),
    )
    return [{ column: { ...column, columns: own }, lines }]
  })
}

/** Lines with more fields than this need a page in landscape. */
const MOST_UPRIGHT = 11

export const isWide = (columns: readonly Flat[], rows: readonly Row[]): boolean =>
  rows.some((row) =>
    listsOf(columns, row).some(
      ({ column, lines }) => flatten(column.columns).filter((flat) => !isBlank(flat, lines)).length > MOST_UPRIGHT,
    ),
  )

const isTotal = ({ column }: Flat): boolean =>
  'additive' in column && 'currency' in column && column.currency !== undefined

/** An amount of 0 says nothing on paper, unless people see it first. */
const isShown = ({ column, path, isFirst }: Flat, row: Row): boolean => {
  const value = valueIn(row, path)
  return !isAbsent(value, column as ValueColumn) && (isFirst || /[1-9]/.test(String(value)))
}

/** The fields of each object, such as the fields of `billing`. */
function groupsOf(fields: readonly Flat[]): [string, Flat[]][] {
  const groups = new Map<string, Flat[]>()
  for (const flat of fields) {
    const around = flat.path.slice(0, -1).join('.')
    groups.set(around, [...(groups.get(around) ?? []), flat])
  }
  return [...groups]
}

/** Whether the records of these columns are documents. */
export const hasDocuments = (columns: readonly Flat[]): boolean =>
  columns.some(
    ({ column }) => column.kind === 'lines' && flatten(column.columns).some(({ column }) => isNumeric(column)),
  )
