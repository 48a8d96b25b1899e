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
import { labelOf } from '../labels.js'
import { Cell, Figure } from '../parts/cell.js'
import { headingOf, nameOf } from '../people.js'
import { isBlank, LinesTable } from './lines.js'

interface Props {
  /** What kind of document it is. */
  title: string
  row: Row
  columns: readonly Flat[]
  /** The fields of its key. */
  keyFields: readonly string[]
}

export function DocumentSheet({ title, row, columns, keyFields }: Props): JSX.Element {
  const has = (flat: Flat) => !isBlank(flat, [row])
  const single = columns.filter(({ column }) => column.kind !== 'lines').filter(has)
  const number = single.find(({ name, column }) => keyFields.includes(name) && column.kind === 'text')
  const addresses = groupsOf(single.filter(({ path, column }) => path.length > 1 && !isNumeric(column)))
  const plain = single.filter(({ path, name }) => path.length === 1 && name !== number?.name)
  const facts = plain.filter((flat) => !isTotal(flat))
  const totals = single.filter((flat) => isTotal(flat) && isShown(flat, row))
  const lists = columns.filter(({ column }) => column.kind === 'lines')
  return (
    <article class="document">
      <h2>
        {title} <bdi>{number === undefined ? '' : String(valueIn(row, number.path))}</bdi>
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
          {addresses.map(([name, fields]) => (
            <section key={name}>
              <h3>{labelOf(name)}</h3>
              {fields.map((flat) => (
                <p key={flat.name} title={nameOf(flat)}>
                  <Cell value={valueIn(row, flat.path)} column={flat.column as ValueColumn} record={row} />
                </p>
              ))}
            </section>
          ))}
        </div>
      )}
      {lists.map(({ name, path, column }) => {
        const lines = (valueIn(row, path) as Row[] | undefined) ?? []
        return lines.length === 0 ? null : (
          <section key={name}>
            <h3>{labelOf(name)}</h3>
            <LinesTable column={column as LinesColumn} lines={lines} record={row} />
          </section>
        )
      })}
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
