/** The recall list: each customer, or vendor, with the ways to reach them and the batches that they got. */
import type { JSX } from 'preact'
import { type CatalogueReport, type Row, type ValueColumn, type Values, valueIn } from '../catalogue.js'
import { Cell } from '../parts/cell.js'
import { columnsFor } from '../report/answer.js'
import { Linked } from '../things/link.js'

export interface Party {
  readonly kind: string
  readonly code: string
  readonly row: Row
  /** A record per batch. */
  readonly lots: readonly Row[]
}

/** The records of one party together, in the order of the answer. */
export function partiesOf(rows: readonly Row[]): Party[] {
  const found = new Map<string, Party & { lots: Row[] }>()
  for (const row of rows) {
    const [kind, code] = [String(row['party_kind']), String(row['code'])]
    const key = JSON.stringify([kind, code])
    const party = found.get(key) ?? { kind, code, row, lots: [] }
    party.lots.push(row)
    found.set(key, party)
  }
  return [...found.values()]
}

interface Props {
  report: CatalogueReport
  values: Values
  parties: readonly Party[]
  names: ReadonlyMap<string, string>
  /** On paper, with a box to tick after the call. */
  onPaper?: boolean
}

const shown = (row: Row, name: string): string => (typeof row[name] === 'string' ? (row[name] as string) : '')

export function PartyList({ report, values, parties, names, onPaper = false }: Props): JSX.Element {
  const columns = columnsFor(report, values)
  const cell = (row: Row, name: string) => {
    const flat = columns.find((one) => one.name === name)
    if (flat === undefined) return null
    return (
      <Linked row={row} flat={flat}>
        <Cell value={valueIn(row, flat.path)} column={flat.column as ValueColumn} record={row} />
      </Linked>
    )
  }
  const isVendors = parties.every(({ kind }) => kind === 'Vendor')
  return (
    <div
      class={onPaper ? undefined : 'lines'}
      {...(!onPaper && { role: 'group', tabIndex: 0, 'aria-label': 'Recall list' })}
    >
      <table class="call-list">
        <thead>
          <tr>
            {onPaper && <th scope="col">Called</th>}
            <th scope="col">{isVendors ? 'Vendor' : 'Customer'}</th>
            <th scope="col">Contact</th>
            <th scope="col">Product</th>
            <th scope="col">Batch</th>
            <th scope="col" class="right">
              {isVendors ? 'Received' : 'Shipped'}
            </th>
            <th scope="col" class="right">
              Returned
            </th>
            <th scope="col" class="right">
              {isVendors ? 'Kept' : 'Still there'}
            </th>
            <th scope="col">Dates</th>
            <th scope="col">Documents</th>
          </tr>
        </thead>
        {parties.map(({ kind, code, row, lots }) => (
          <tbody key={`${kind} ${code}`}>
            {lots.map((lot, at) => (
              <tr key={at}>
                {at === 0 && onPaper && (
                  <td rowSpan={lots.length}>
                    <span class="tick" />
                  </td>
                )}
                {at === 0 && (
                  <th scope="rowgroup" rowSpan={lots.length}>
                    {cell(row, 'name')}
                    <small>{code}</small>
                    {shown(row, 'address') !== '' && (
                      <small>
                        <bdi>{shown(row, 'address')}</bdi>
                      </small>
                    )}
                  </th>
                )}
                {at === 0 && (
                  <td rowSpan={lots.length} class="contact">
                    {['contact_person', 'phone', 'email'].map((name) =>
                      shown(row, name) === '' ? null : (
                        <span key={name}>
                          <Contact name={name} text={shown(row, name)} />
                        </span>
                      ),
                    )}
                  </td>
                )}
                <td title={shown(lot, 'sku')}>
                  <bdi>{names.get(shown(lot, 'sku')) ?? shown(lot, 'sku')}</bdi>
                </td>
                <td>{cell(lot, 'batch_no')}</td>
                <td class="right folded">{cell(lot, 'shipped_qty')}</td>
                <td class="right folded">{cell(lot, 'returned_qty')}</td>
                <td class="right left">
                  <strong>{cell(lot, 'net_qty')}</strong>
                </td>
                <td class="dates folded">{datesOf(shown(lot, 'first_date'), shown(lot, 'last_date'))}</td>
                <td class="folded">{cell(lot, 'documents')}</td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

function Contact({ name, text }: { name: string; text: string }): JSX.Element {
  if (name === 'phone') return <a href={`tel:${text.replace(/[^\d+]/g, '')}`}>{text}</a>
  if (name === 'email') return <a href={`mailto:${text}`}>{text}</a>
  return <bdi>{text}</bdi>
}

const datesOf = (first: string, last: string): string => (first === last ? first : `${first} – ${last}`)
