/** Millbook's figures after a pull, in the form that tests compare with the figures of the source. */
import { expect } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { kinds } from '../../src/ledger/kinds.js'
import type { Service } from './service.js'

export type Row = Record<string, string>

export const byKey = (rows: readonly Row[]) => Object.fromEntries(rows.map(({ key, value }) => [key, value]))

/** Sums over the ledger, by an expression over movements `m`, items `i` and warehouses `w`. */
export async function ledger(db: Db, key: string, value: string): Promise<Record<string, string>> {
  const sign = Object.entries(kinds).map(([kind, { stock }]) => `when '${kind}' then ${stock}`)
  return byKey(
    await db.unsafe(`
      select ${key} as key, sum(s.sign * ${value})::text as value
        from stock_movement m join item i on i.id = m.item_id join warehouse w on w.id = m.warehouse_id,
             lateral (select case m.kind::text ${sign.join(' ')} end as sign) s
       where ${key} is not null
       group by 1 having sum(s.sign * ${value}) <> 0`),
  )
}

/** Figures of the reports, with the currencies and the stated amounts of documents. */
export async function reported(service: Service, path: string, request: Row): Promise<Record<string, never>[]> {
  const inQuery = path.includes('orders')
  const all = { fields: 'all' }
  const answer = await service.call(
    inQuery ? { path, query: { ...request, ...all } } : { path, query: { 'per-page': 5000, ...all }, body: request },
  )
  expect([path, answer.statusCode]).toEqual([path, 200])
  return answer.json().data
}

/** A document's amounts in its own currency. */
export const amounts = (row: Row, names: readonly string[]) =>
  [...names.map((name) => Number(row[`document_${name}`] ?? row[name]).toFixed(2)), row['currency']].join(' ')
