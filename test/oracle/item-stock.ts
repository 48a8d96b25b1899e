/** The stock of items by warehouse, and of batches. */
import type { Batch, Company } from '../setup/company.js'
import { books, Groups, held, INS, ITEM_TYPES, inStock, OUTS, total } from './books.js'
import { format } from './decimal.js'
import { byText } from './order.js'

const inOrder = (company: Company, sku: string | undefined) =>
  company.item.filter((item) => !sku || item.sku === sku).sort((a, b) => byText(a.sku, b.sku))

export const itemStock = (company: Company, { date, sku }: { date: string; sku?: string }) =>
  inOrder(company, sku).flatMap((item) => {
    const moves = books(company)
      .moves.of(item.id)
      .filter((m) => m.movement_date <= date)
    return [...new Groups(moves, (m) => m.warehouse_id)]
      .map(([id, here]) => ({
        sku: item.sku,
        name: item.name,
        type: ITEM_TYPES[item.type],
        unit: item.unit,
        warehouse: books(company).warehouse.of(id).location,
        stock_qty: format(inStock(here, 'qty'), 4),
        hold_qty: format(held(here, 'qty'), 4),
        available_qty: format(inStock(here, 'qty') - held(here, 'qty'), 4),
        stock_value: format(inStock(here, 'val'), 4),
        hold_value: format(held(here, 'val'), 4),
      }))
      .sort((a, b) => byText(a.warehouse, b.warehouse))
  })

const SOURCES: Record<Batch['source'], string> = { PRODUCED: 'Produced', PROCURED: 'Procured', MANUAL: 'Manually' }

export const stockOfBatches = (
  company: Company,
  { date, sku, batch_no }: { date: string; sku?: string; batch_no?: string },
) =>
  inOrder(company, sku).flatMap((item) =>
    company.batch
      .filter((batch) => batch.item_id === item.id && (!batch_no || batch.batch_no === batch_no))
      .sort((a, b) => byText(a.batch_no, b.batch_no))
      .map((batch) => {
        const moves = books(company)
          .moves.of(item.id)
          .filter((m) => m.batch_no === batch.batch_no && m.movement_date <= date)
        const [received, issued] = [total(moves, INS, 'qty'), total(moves, OUTS, 'qty')]
        return {
          sku: item.sku,
          name: item.name,
          batch_no: batch.batch_no,
          source: SOURCES[batch.source],
          mfg_date: batch.mfg_date,
          expiry_date: batch.expiry_date,
          batch_date: batch.batch_date,
          qc_status: batch.qc_status ?? '-',
          received_qty: format(received, 4),
          issued_qty: format(issued, 4),
          stock_qty: format(received - issued, 4),
          unit: item.unit,
        }
      }),
  )
