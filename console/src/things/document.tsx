/** A document on the screen: its parties, its lines and its amounts. */
import type { JSX } from 'preact'
import { type Flat, flatten, type LinesColumn, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { labelOf } from '../labels.js'
import { Figure } from '../parts/cell.js'
import { columnsFor } from '../report/answer.js'
import { ColumnsOfLines, isBlank } from '../report/lines.js'
import type { Found } from './fetched.js'
import type { Document } from './kinds.js'

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
    .filter((flat) => !isBlank(flat, list) && !isNothing(flat, list, document))
    .sort((a, b) => document.columns.indexOf(a.name) - document.columns.indexOf(b.name))
  const totals = document.totals.flatMap((name) => {
    const flat = columns.find((one) => one.name === name)
    return flat !== undefined && !isBlank(flat, [row]) && !isZero(row, flat, document) ? [flat] : []
  })
  return (
    <section class="paper" aria-label="Document">
      {document.addresses.length > 0 && (
        <div class="addresses">
          {document.addresses.map(([title, name]) => (
            <AddressOf key={name} title={title} of={valueIn(row, name.split('.')) as Row} />
          ))}
        </div>
      )}
      {list.length === 0 ? (
        <p class="quiet">This document has no lines.</p>
      ) : (
        <ColumnsOfLines label="Lines" columns={shown} lines={list} record={row} />
      )}
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

/** Charges of 0 are left out, the first and the last amount are not. */
function isZero(row: Row, { name, path }: Flat, { totals }: Document): boolean {
  const isEnd = name === totals[0] || name === totals.at(-1)
  return !isEnd && !/[1-9]/.test(String(valueIn(row, path)))
}

/** An amount that is 0 in every line, such as a discount, is left out, but not the last column. */
const isNothing = ({ name, column, path }: Flat, lines: readonly Row[], { columns }: Document): boolean =>
  name !== columns.at(-1) && 'currency' in column && lines.every((line) => !/[1-9]/.test(String(valueIn(line, path))))

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
