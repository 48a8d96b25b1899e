/** Stock movements behind a figure of the stock reports. */
import type { Company, Movement } from '../setup/company.js'
import { books, INS, type Move, OUTS } from './books.js'
import { format } from './decimal.js'
import { byText } from './order.js'

interface Params {
  from_date: string
  to_date: string
  sku?: string
  warehouse?: string
  batch?: string
  figure?: string
  tax?: 0 | 1 | '0' | '1'
}

const both = (...kinds: string[]) => ({ goods: kinds, materials: kinds })
const goods = (...kinds: string[]) => ({ goods: kinds, materials: [] as string[] })
const materials = (...kinds: string[]) => ({ goods: [] as string[], materials: kinds })

/** The kinds of movement that count in each column of the two stock reports. */
const columns: Record<string, { goods: string[]; materials: string[] }> = {
  Receipts: { goods: INS.filter((kind) => kind !== 'sales_return'), materials: INS },
  Receipts_PRD: goods('production_receipt'),
  Receipts_PUR: goods('purchase_receipt'),
  Receipts_TRF: goods('transfer_in'),
  Receipts_OTH: goods('other_receipt', 'value_increase'),
  Returned: goods('sales_return'),
  Issued: goods('issue', 'consumption', 'internal_issue', 'vendor_return'),
  Consumption: materials('issue', 'consumption', 'unpack', 'internal_issue'),
  Reject: materials('rejection', 'vendor_return'),
  Shortage: materials('shortage'),
  Trashed: { goods: ['trash', 'rejection', 'shortage', 'value_decrease'], materials: ['trash', 'value_decrease'] },
  MovetoBad: both('move_to_bad'),
  Transfered: goods('transfer_out'),
  Transfer: materials('transfer_out'),
  UnPacked: goods('unpack'),
  Cr: both(...INS),
  Dr: both(...OUTS),
}

const inStock = (kind: string) => (INS.includes(kind) ? 1n : OUTS.includes(kind) ? -1n : 0n)
const held = (kind: string) => (kind === 'hold' ? 1n : kind === 'release' ? -1n : 0n)

/** The sign with which a movement counts in a figure. */
function signIn(figure: string | undefined, { kind }: Move, isMaterial: boolean): bigint {
  if (figure === 'Hold') return held(kind)
  if (figure === 'Active') return inStock(kind) - held(kind)
  const column = columns[figure ?? '']
  if (column === undefined) return inStock(kind)
  return (isMaterial ? column.materials : column.goods).includes(kind) ? 1n : 0n
}

const isInPeriod = (figure: string | undefined, day: string, { from_date, to_date }: Params) =>
  figure === 'Opening'
    ? day < from_date
    : day <= to_date && (['Hold', 'Active', 'Closing'].includes(figure ?? '') || day >= from_date)

export function movements(company: Company, params: Params) {
  const of = books(company)
  const { figure } = params
  const value = Number(params.tax ?? 0) === 1 ? 'val_tax' : 'val'
  return company.item
    .filter((item) => !params.sku || item.sku === params.sku)
    .sort((a, b) => byText(a.sku, b.sku))
    .flatMap((item) =>
      of.moves
        .of(item.id)
        .filter((m) => isInPeriod(figure, m.movement_date, params))
        .filter((m) => !params.warehouse || of.warehouse.of(m.warehouse_id).location === params.warehouse)
        .filter((m) => params.batch === undefined || (m.batch_no ?? '') === params.batch)
        .map((m) => ({ m, sign: signIn(figure, m, item.type === 'MAT') }))
        .filter(({ m, sign }) => (figure === 'TrfChrg' ? m.transfer_charge > 0n : sign !== 0n))
        .sort(({ m: a }, { m: b }) => byText(a.movement_date, b.movement_date) || byText(a.movement_no, b.movement_no))
        .map(({ m, sign }) => ({
          sku: item.sku,
          name: item.name,
          unit: item.unit,
          date: m.movement_date,
          movement_no: m.movement_no,
          kind: m.kind.replaceAll('_', ' '),
          ...documentsOf(company, m),
          warehouse: of.warehouse.of(m.warehouse_id).location,
          batch: m.batch_no,
          qty: format(sign * m.qty, 4),
          value: format(figure === 'TrfChrg' ? m.transfer_charge : sign * m[value], 4),
          note: m.note,
        })),
    )
}

type Documents = Pick<
  Movement,
  | 'kind'
  | 'order_no'
  | 'invoice_no'
  | 'grn_no'
  | 'po_no'
  | 'work_order_no'
  | 'for_item_id'
  | 'for_batch_no'
  | 'batch_no'
  | 'movement_no'
>

/** The documents that a movement belongs to. */
export function documentsOf(company: Company, m: Documents) {
  const [type, no] =
    m.order_no !== null
      ? ['sales order', m.order_no]
      : m.invoice_no !== null
        ? ['invoice', m.invoice_no]
        : m.grn_no !== null
          ? ['goods receipt', m.grn_no]
          : m.for_batch_no !== null
            ? ['batch', m.for_batch_no]
            : m.kind === 'production_receipt' && m.batch_no !== null
              ? ['batch', m.batch_no]
              : ['movement', m.movement_no]
  return {
    document_type: type,
    document_no: no,
    order_no: m.order_no,
    po_no: m.po_no,
    work_order_no: m.work_order_no,
    used_in_sku: m.for_item_id === null ? null : books(company).item.of(m.for_item_id).sku,
    used_in_batch: m.for_batch_no,
  }
}
