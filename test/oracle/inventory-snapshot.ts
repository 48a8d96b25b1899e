/** The partner's snapshot: batches of finished goods with something available at the end of a day. */
import type { Batch, Company } from '../setup/company.js'
import { books, Groups, INS, key, OUTS, total } from './books.js'
import { format } from './decimal.js'
import { byText } from './order.js'

const sources: Record<Batch['source'], string> = { PRODUCED: 'Produced', PROCURED: 'Procured', MANUAL: 'Manually' }

export function inventorySnapshot(company: Company, { date }: { date: string }) {
  const of = books(company)
  const quantity = (units: bigint) => format(units * 1_000_000n, 10)
  return company.item
    .filter((item) => ['FG', 'COMBO'].includes(item.type))
    .sort((a, b) => byText(a.sku, b.sku))
    .flatMap((item) => {
      const moves = of.moves.of(item.id).filter((m) => m.movement_date <= date)
      const stocks = [...new Groups(moves, (m) => m.batch_no ?? '')]
        .map(([batch_no, list]) => ({
          batch_no: String(batch_no),
          received: total(list, INS, 'qty'),
          debited: total(list, OUTS, 'qty'),
        }))
        .filter(({ received, debited }) => received !== debited)
        .sort((a, b) => byText(a.batch_no, b.batch_no))
      if (stocks.length === 0 && item.active) stocks.push({ batch_no: '', received: 0n, debited: 0n })
      return stocks.map(({ batch_no, received, debited }) => {
        const batch = batch_no === '' ? undefined : of.batch.of(key(item.id, batch_no))
        return {
          primary_category: item.primary_category,
          product_category: item.product_category,
          product_name: item.name,
          product_sku: item.sku,
          batch_no,
          inventory_date: date,
          expiry_date: batch?.expiry_date ?? null,
          mfg_date: batch?.mfg_date ?? 'NA',
          Receipt_qty: quantity(received),
          Debit_qty: quantity(debited),
          Available_qty: quantity(received - debited),
          rec_source: batch ? sources[batch.source] : 'N/A',
          unit: item.unit,
        }
      })
    })
}
