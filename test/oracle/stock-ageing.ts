/** Stock by age: each receipt is a lot in a queue, and whatever leaves takes from the front, one movement after the other. */
import type { Company, Item } from '../setup/company.js'
import { books, Groups, inStock, key, type Move } from './books.js'
import { daysBetween, today } from './calendar.js'
import { divide, format, sum } from './decimal.js'
import { byText } from './order.js'

const CAME = ['production_receipt', 'purchase_receipt', 'other_receipt', 'sales_return']
const STAYED = ['transfer_in', 'transfer_out', 'hold', 'release', 'value_increase', 'value_decrease']

/** The day that `as_on` means. */
export const dayOf = (company: Company, as_on: string | undefined): string =>
  as_on || today(company.account['time_zone'] ?? 'UTC')

/** The items of a type, in order. */
export const itemsOf = ({ item }: Company, type = 'ALL'): Item[] =>
  item
    .filter((i) =>
      type === 'ALL'
        ? i.type !== 'SRV'
        : type === 'FG'
          ? i.type === 'FG' || i.type === 'COMBO'
          : i.type === type || i.material_kind === type,
    )
    .sort((a, b) => byText(a.sku, b.sku))

/** What is left of each receipt after all movements, and what has left without a receipt so far. */
function queueOf(moves: readonly Move[]) {
  const lots: { day: string; left: bigint }[] = []
  let owed = 0n
  // On one day receipts come first; that changes no age.
  const first = (m: Move) => (CAME.includes(m.kind) ? 0 : 1)
  const inOrder = moves.toSorted((a, b) => byText(a.movement_date, b.movement_date) || first(a) - first(b))
  for (const { kind, qty, movement_date } of inOrder) {
    if (STAYED.includes(kind)) continue
    if (CAME.includes(kind)) {
      const used = owed < qty ? owed : qty
      owed -= used
      lots.push({ day: movement_date, left: qty - used })
      continue
    }
    let wanted = qty
    for (const lot of lots) {
      const taken = lot.left < wanted ? lot.left : wanted
      lot.left -= taken
      wanted -= taken
    }
    owed += wanted
  }
  return lots.filter(({ left }) => left > 0n)
}

interface Params {
  as_on?: string
  type?: string
  bands?: string
  by?: 'item' | 'batch'
}

export function stockAgeing(company: Company, { as_on, type, bands = '30,60,90,180', by = 'item' }: Params) {
  const day = dayOf(company, as_on)
  const lasts = bands.split(',').map(Number)
  const ends = [...lasts.map((last) => ({ last })), { last: null }]
  return itemsOf(company, type || 'ALL').flatMap((item) => {
    const all = books(company)
      .moves.of(item.id)
      .filter((m) => m.movement_date <= day)
    const groups = by === 'item' ? [all] : [...new Groups(all, (m) => m.batch_no ?? '').values()]
    return groups
      .flatMap((moves) => recordOf(company, item, moves, day, ends, by))
      .sort((a, b) => ('batch_no' in a && 'batch_no' in b ? byBatch(a.batch_no ?? null, b.batch_no ?? null) : 0))
  })
}

const byBatch = (a: string | null, b: string | null) => (a === null ? 1 : b === null ? -1 : byText(a, b))

function recordOf(
  company: Company,
  item: Item,
  moves: readonly Move[],
  day: string,
  ends: readonly { last: number | null }[],
  by: 'item' | 'batch',
) {
  const of = (...kinds: string[]) => sum(moves.filter((m) => kinds.includes(m.kind)).map((m) => m.qty))
  const stock = inStock(moves, 'qty')
  const value = inStock(moves, 'val')
  const transit = of('transfer_out') - of('transfer_in')
  if (stock === 0n && transit === 0n && value === 0n) return []
  const lots = queueOf(moves).map((lot) => ({ ...lot, age: daysBetween(lot.day, day) }))
  const left = sum(lots.map((lot) => lot.left))
  const batch_no = moves[0]?.batch_no ?? null
  const days = moves
    .filter((m) => !STAYED.includes(m.kind))
    .map((m) => [m.movement_date, CAME.includes(m.kind)] as const)
  const last = (isIn: boolean) =>
    days
      .filter(([, came]) => came === isIn)
      .map(([date]) => date)
      .sort(byText)
      .at(-1) ?? null
  const bands = ends.map(({ last }, i) => {
    const from_days = i === 0 ? 0 : (ends[i - 1]?.last ?? 0) + 1
    const qty = sum(lots.flatMap((lot) => (lot.age >= from_days && (last === null || lot.age <= last) ? lot.left : [])))
    return { from_days, to_days: last, qty, value: left === 0n ? 0n : divide(value * qty, left) }
  })
  const youngest = bands.find(({ qty }) => qty > 0n)
  if (youngest) youngest.value += value - sum(bands.map((band) => band.value))
  return {
    ...{ sku: item.sku, name: item.name, unit: item.unit },
    ...{ primary_category: item.primary_category, category: item.product_category },
    ...(by === 'batch' && {
      batch_no,
      expiry_date: batch_no === null ? null : books(company).batch.of(key(item.id, batch_no)).expiry_date,
    }),
    stock_qty: format(stock, 4),
    in_transit_qty: format(transit, 4),
    stock_value: format(value, 4),
    average_age_days:
      left === 0n ? null : format(divide(sum(lots.map((lot) => lot.left * BigInt(lot.age))) * 100n, left), 2),
    oldest_on: lots.map((lot) => lot.day).sort(byText)[0] ?? null,
    last_in_on: last(true),
    last_out_on: last(false),
    bands: bands.map((band) => ({ ...band, qty: format(band.qty, 4), value: format(band.value, 4) })),
  }
}
