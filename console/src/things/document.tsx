/** A document on the screen: its parties, its lines and its amounts. */
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
import { Icon } from '../parts/icons.js'
import { headingOf, plainText } from '../people.js'
import { columnsFor } from '../report/answer.js'
import { digitsIn } from '../report/widths.js'
import type { Found } from './fetched.js'
import type { Document } from './kinds.js'
import { Linked } from './link.js'

/** The parts of an address, in the order of a letter. */
const PARTS = [
  'buyer',
  'vendor',
  'address1',
  'address2',
  'city',
  'pincode',
  'state',
  'country',
  'gstn',
  'phone',
  'email',
]

export function DocumentOf({ found, document }: { found: Found; document: Document }): JSX.Element {
  const { row, report, asked } = found
  const columns = columnsFor(report, asked.values ?? {})
  const lines = columns.find(({ name }) => name === document.lines)
  const list = ((lines && valueIn(row, lines.path)) ?? []) as Row[]
  const shown = flatten((lines?.column as LinesColumn | undefined)?.columns ?? [])
    .filter(({ name }) => document.columns.includes(name))
    .filter((flat) => list.some((line) => hasValue(line, flat)))
    .sort((a, b) => document.columns.indexOf(a.name) - document.columns.indexOf(b.name))
  const totals = document.totals.flatMap((name) => {
    const flat = columns.find((one) => one.name === name)
    return flat !== undefined && hasValue(row, flat) && !isZero(row, flat, document) ? [flat] : []
  })
  const digits = new Map(shown.map((flat) => [flat.name, digitsIn(flat, list)]))
  return (
    <section class="paper" aria-label="Document">
      <button type="button" class="button print" onClick={() => window.print()}>
        <Icon name="export" /> Print
      </button>
      {document.addresses.length > 0 && (
        <div class="addresses">
          {document.addresses.map(([title, name]) => (
            <AddressOf key={name} title={title} of={valueIn(row, name.split('.')) as Row} />
          ))}
        </div>
      )}
      <div class="lines" role="group" aria-label="Lines" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {shown.map((flat) => (
                <th
                  key={flat.name}
                  scope="col"
                  class={isNumeric(flat.column) ? 'right' : undefined}
                  title={plainText(flat.column.description)}
                >
                  {headingOf(flat)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.map((line, at) => (
              <tr key={at}>
                {shown.map((flat) => (
                  <td key={flat.name} class={isNumeric(flat.column) ? 'right' : undefined}>
                    <Linked row={line} flat={flat}>
                      <Cell
                        value={valueIn(line, flat.path)}
                        column={flat.column as ValueColumn}
                        record={row}
                        digits={digits.get(flat.name)}
                      />
                    </Linked>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {list.length === 0 && <p class="quiet">This document has no lines.</p>}
      </div>
      {totals.length > 0 && (
        <dl class="totals-of">
          {totals.map((flat, at) => (
            <div key={flat.name} class={at === totals.length - 1 ? 'sum' : undefined}>
              <dt>{labelOf(flat.name)}</dt>
              <dd>
                <Figure value={valueIn(row, flat.path)} column={flat.column as ValueColumn} record={row} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

const hasValue = (row: Row, { path, column }: Flat): boolean => {
  const value = valueIn(row, path)
  return value !== '' && !isAbsent(value, column as ValueColumn)
}

/** Charges of 0 are left out, the first and the last amount are not. */
function isZero(row: Row, { name, path }: Flat, { totals }: Document): boolean {
  const isEnd = name === totals[0] || name === totals.at(-1)
  return !isEnd && !/[1-9]/.test(String(valueIn(row, path)))
}

function AddressOf({ title, of }: { title: string; of: Row | undefined }): JSX.Element | null {
  const parts = PARTS.flatMap((name) => (typeof of?.[name] === 'string' && of[name] !== '' ? [[name, of[name]]] : []))
  if (parts.length === 0) return null
  return (
    <address>
      <h2>{title}</h2>
      {parts.map(([name, text]) => (
        <span key={name}>
          {name === 'gstn' && 'GSTIN '}
          <bdi>{text as string}</bdi>
        </span>
      ))}
    </address>
  )
}
