/** Two sheets of paper of a trace: the list of calls, and the sheet for authorities. */
import type { JSX } from 'preact'
import { flatten, isNumeric, type Row, shapeOf, type ValueColumn, valueIn } from '../catalogue.js'
import { companyName } from '../company.js'
import { clock, inWords, today } from '../dates.js'
import { Cell } from '../parts/cell.js'
import { headingOf } from '../people.js'
import { isBlank } from '../report/lines.js'
import { loadedAt } from '../session.js'
import { directionOf, type Traced, valuesFor } from './answers.js'
import { type Party, PartyList } from './parties.js'
import type { Start } from './start.js'

export type Paper = 'calls' | 'authorities'

interface Props {
  paper: Paper
  start: Start
  traced: Traced
  title: string
  lists: readonly (readonly [title: string, parties: readonly Party[]])[]
  names: ReadonlyMap<string, string>
}

export function PaperOf({ paper, start, traced, title, lists, names }: Props): JSX.Element {
  const { report, named, version } = traced
  const loaded = loadedAt.get(version)
  const values = valuesFor(start, paper === 'calls' ? 'parties' : 'events', directionOf(named) ?? 'both')
  return (
    <div class="sheet">
      <header>
        <strong>
          <bdi>{companyName.value}</bdi>
        </strong>
        <h1>
          {paper === 'calls' ? 'Recall list' : 'Traceability record'}: <bdi>{title}</bdi>
        </h1>
        <p class="quiet">
          {`Printed ${inWords(today())}, ${clock(new Date().toISOString())} · data version ${version}${loaded === undefined ? '' : `, loaded ${clock(loaded)}`}`}
        </p>
      </header>
      {paper === 'calls' ? (
        lists.map(([heading, parties]) => (
          <section key={heading}>
            <h2>{heading}</h2>
            <PartyList {...{ report, values, parties, names }} onPaper />
          </section>
        ))
      ) : (
        <Events {...{ values, traced }} rows={traced.events} />
      )}
    </div>
  )
}

/** Columns whose cells must not be broken: codes, numbers and days. */
const ON_ONE_LINE = ['lot', 'item', 'unit', 'date', 'document_no']

/** All columns in the order of the contract for authorities; of columns without any value only the names. */
function Events({
  traced,
  values,
  rows,
}: {
  traced: Traced
  values: Parameters<typeof shapeOf>[1]
  rows: readonly Row[]
}) {
  const columns = flatten(shapeOf(traced.report, values)?.columns ?? [])
  const filled = columns.filter((flat) => !isBlank(flat, rows))
  return (
    <>
      <table>
        <thead>
          <tr>
            {filled.map((flat) => (
              <th key={flat.name} class={isNumeric(flat.column) ? 'right' : undefined}>
                {headingOf(flat)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {filled.map((flat) => (
                <td
                  key={flat.name}
                  class={isNumeric(flat.column) ? 'right' : ON_ONE_LINE.includes(flat.name) ? 'short' : undefined}
                >
                  <Cell value={valueIn(row, flat.path)} column={flat.column as ValueColumn} record={row} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {filled.length < columns.length && (
        <p class="quiet">
          Empty in every row:{' '}
          {columns
            .filter((flat) => !filled.includes(flat))
            .map(headingOf)
            .join(', ')}
          .
        </p>
      )}
    </>
  )
}
