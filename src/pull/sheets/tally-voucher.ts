/** The rows of a voucher of Tally: the voucher, its lines, and the batches and godowns of each line. */
import type { SheetCell } from './sheet.js'
import { type Cells, type Element, ownCells, prefixed, setNegated, type TallyRow } from './tally-cells.js'
import { Costs } from './tally-cost.js'

const LINES = new Set([
  ...['ALLINVENTORYENTRIES.LIST', 'INVENTORYENTRIES.LIST', 'INVENTORYENTRIESIN.LIST', 'INVENTORYENTRIESOUT.LIST'],
])
const LEDGER_LINES = new Set(['ALLLEDGERENTRIES.LIST', 'LEDGERENTRIES.LIST'])
export const BATCHES = 'BATCHALLOCATIONS.LIST'

/** Types of vouchers that Tally has from the beginning; the types of a company are derived from them. */
const BASE_TYPES = [
  ...[
    'Sales',
    'Purchase',
    'Credit Note',
    'Debit Note',
    'Delivery Note',
    'Receipt Note',
    'Stock Journal',
    'Physical Stock',
  ],
  ...['Rejections In', 'Rejections Out', 'Sales Order', 'Purchase Order', 'Job Work In Order', 'Job Work Out Order'],
  ...['Material In', 'Material Out', 'Payment', 'Receipt', 'Contra', 'Journal', 'Memorandum', 'Reversing Journal'],
]
const ORDERS = /^(sales|purchase|job work (in|out)) order$|^memorandum$|^reversing journal$/i
const INVOICES = /^(sales|purchase|credit note|debit note)$/i
const SALES_RETURNS = /^(credit note|rejections in)$/i

/** What the lines of a voucher need to know of it. */
interface About {
  readonly type: string
  readonly isValid: boolean
  readonly isInOrder: boolean
  /** How many of its lines had a tracking number and item so far. */
  readonly tracked: Map<string, number>
}

/** Reads the vouchers of one file, in their order. */
export class Vouchers {
  readonly #costs = new Costs()
  /** By type in small letters: the type that it is derived from. */
  readonly #types = new Map<string, string>()

  /** By tracking number and item: the lines of the note that moved the goods. */
  readonly #notes = new Map<string, string[]>()

  noteType(cells: Cells): void {
    const [name, parent] = [cells.get('NAME'), cells.get('PARENT')]
    if (typeof name === 'string' && typeof parent === 'string') this.#types.set(name.toLowerCase(), parent)
  }

  noteOpening(item: SheetCell, quantity: SheetCell, value: SheetCell): void {
    if (typeof item === 'string') this.#costs.add(item, quantity, value)
  }

  *rows(voucher: Element): Generator<TallyRow> {
    const own = ownCells(voucher)
    const type = this.#baseType(own.get('VOUCHERTYPENAME') ?? own.get('VCHTYPE') ?? null)
    if (type !== undefined) own.set('base type', type)
    yield { sheet: 'vouchers', cells: own }
    const above = prefixed('VOUCHER', own)
    const isValid = !['ISCANCELLED', 'ISOPTIONAL', 'ISDELETED'].some((name) => own.get(name) === 'Yes')
    const date = own.get('DATE')
    const day = date !== null && typeof date === 'object' && 'value' in date ? date.value : ''
    const isInOrder = !isValid || this.#costs.isInOrder(day)
    let [lines, ledgers] = [0, 0]
    const about = { type: type ?? '', isValid, isInOrder, tracked: new Map<string, number>() }
    for (const child of voucher.children)
      if (LINES.has(child.tag)) {
        const line = ownCells(child)
        if (!line.has('STOCKITEMNAME')) continue // Tally writes empty lists
        line.set('line no', { value: String(++lines) })
        setDirection(line, child.tag)
        yield* this.#lineRows(child, line, above, about)
      } else if (LEDGER_LINES.has(child.tag)) {
        const line = ownCells(child)
        if (!line.has('LEDGERNAME')) continue
        line.set('line no', { value: String(++ledgers) })
        yield { sheet: 'ledger lines', cells: new Map([...line, ...above]) }
      }
  }

  #baseType(given: SheetCell): string | undefined {
    if (typeof given !== 'string') return undefined
    let name = given
    for (let i = 0; i < 10; i++) {
      const base = BASE_TYPES.find((one) => one.toLowerCase() === name.toLowerCase())
      if (base !== undefined) return base
      const parent = this.#types.get(name.toLowerCase())
      if (parent === undefined) break
      name = parent
    }
    return /^manufacturing journal$/i.test(name) ? 'Stock Journal' : given
  }

  /** One row of the line, and one for each of its batches and godowns; the line itself if it is not divided. */
  *#lineRows(element: Element, line: Cells, above: Cells, voucher: About): Generator<TallyRow> {
    const batches = element.children
      .filter(({ tag }) => tag === BATCHES)
      .map(ownCells)
      .filter((cells) => cells.has('GODOWNNAME') || cells.has('BATCHNAME') || cells.has('ACTUALQTY'))
    const one = (name: string): SheetCell => {
      const all = new Set(batches.map((cells) => cells.get(name) ?? null))
      return all.size === 1 ? ([...all][0] ?? null) : null
    }
    const inherited = new Map([...prefixed('LINE', line), ...above])
    const rows = (batches.length > 0 ? batches : [new Map(line)]).map((batch, i) => {
      for (const name of ['line no', 'direction', 'ISDEEMEDPOSITIVE']) batch.set(name, line.get(name) ?? null)
      batch.set('batch no', { value: String(i + 1) })
      setSigns(batch)
      const moves = movesStock(voucher, batch)
      batch.set('moves stock', moves)
      if (moves === 'yes') batch.set('cost', this.#costOf(batch, String(line.get('STOCKITEMNAME')), voucher))
      return batch
    })
    const moves = rows.map((batch) => batch.get('moves stock') ?? null)
    const more: Cells = new Map([
      ['godown', one('GODOWNNAME')],
      ['tracking', one('TRACKINGNUMBER')],
      ['moves stock', moves.find((one) => one !== 'no') ?? 'no'],
    ])
    more.set('tracked line', this.#trackedLine(line, more, voucher))
    yield { sheet: 'inventory lines', cells: new Map([...line, ...more, ...above]) }
    for (const batch of rows) yield { sheet: 'batches', cells: new Map([...batch, ...inherited]) }
  }

  /** Of an invoice: the line of the delivery or receipt note that moved its goods. */
  #trackedLine(line: Cells, more: Cells, { type, isValid, tracked }: About): SheetCell {
    const number = more.get('tracking') ?? null
    if (number === null || !isValid) return null
    const key = JSON.stringify([/purchase|receipt|debit/i.test(type), number, line.get('STOCKITEMNAME')])
    const lines = this.#notes.get(key) ?? []
    if (!INVOICES.test(type)) {
      this.#notes.set(key, [...lines, String((line.get('line no') as { value: string }).value)])
      return null
    }
    const nth = tracked.get(key) ?? 0
    tracked.set(key, nth + 1)
    const found = lines[nth] ?? lines.at(-1)
    return found === undefined ? null : { value: found }
  }

  #costOf(batch: Cells, item: string, { type, isInOrder }: About): SheetCell {
    if (!isInOrder) return { fault: 'is not known, because the vouchers are not in the order of their dates' }
    const [quantity, value] = [batch.get('ACTUALQTY') ?? null, batch.get('value') ?? null]
    if (batch.get('direction') === 'in') {
      if (SALES_RETURNS.test(type)) return this.#costs.putBack(item, quantity)
      this.#costs.add(item, quantity, value)
      return value
    }
    // Tally writes the cost itself where nothing is sold.
    return this.#costs.take(item, quantity, type === 'Stock Journal' ? value : undefined)
  }
}

/** Goods that a delivery or receipt note moved are only invoiced by a voucher with its tracking number. */
function movesStock({ type, isValid }: About, batch: Cells): 'yes' | 'no' | 'count' {
  if (!isValid || ORDERS.test(type)) return 'no'
  if (type === 'Physical Stock') return 'count'
  return INVOICES.test(type) && batch.get('TRACKINGNUMBER') !== undefined ? 'no' : 'yes'
}

/** Goods come in where Tally debits the stock. The tag of a stock journal says it too. */
function setDirection(line: Cells, tag: string): void {
  const isIn = line.get('ISDEEMEDPOSITIVE') === 'Yes'
  const contradicts = (tag === 'INVENTORYENTRIESIN.LIST' && !isIn) || (tag === 'INVENTORYENTRIESOUT.LIST' && isIn)
  const unclear = { fault: `is unclear: ${tag} has ISDEEMEDPOSITIVE ${isIn ? 'Yes' : 'No'}` }
  line.set('direction', contradicts ? unclear : isIn ? 'in' : 'out')
  setSigns(line)
}

/** Tally writes a debit with a minus: goods that come in have a negative amount. Quantities have no sign. */
function setSigns(cells: Cells): void {
  const isIn = cells.get('ISDEEMEDPOSITIVE') === 'Yes'
  if (isIn) setNegated(cells, 'AMOUNT', 'value')
  else if (cells.has('AMOUNT')) cells.set('value', cells.get('AMOUNT') ?? null)
  if (isIn) setNegated(cells, 'ACTUALQTY', 'quantity out')
  else if (cells.has('ACTUALQTY')) cells.set('quantity out', cells.get('ACTUALQTY') ?? null)
}
