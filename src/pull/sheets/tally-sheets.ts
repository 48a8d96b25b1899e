/**
 * The sheets that a record of Tally has rows in. A tag of the record is a heading; a tag of the record above it has the name of
 * that record before it, such as VOUCHER/DATE. Headings in small letters are not in the file: they are worked out here.
 */

import { type Cells, type Element, ownCells, prefixed, setNegated, type TallyRow } from './tally-cells.js'
import { BATCHES, Vouchers } from './tally-voucher.js'

/** Elements that hold records. */
export const MESSAGES: ReadonlySet<string> = new Set(['TALLYMESSAGE', 'COLLECTION'])

const MASTERS: Readonly<Record<string, string>> = {
  ...{ COMPANY: 'companies', LEDGER: 'ledgers', GROUP: 'groups', UNIT: 'units', GODOWN: 'godowns' },
  ...{ STOCKITEM: 'items', STOCKGROUP: 'stock groups', STOCKCATEGORY: 'stock categories' },
  ...{ VOUCHERTYPE: 'voucher types', CURRENCY: 'currencies', SVCURRENTCOMPANY: 'company' },
}

const OF_VOUCHER = [
  ...['VOUCHERTYPENAME', 'VOUCHERNUMBER', 'DATE', 'PARTYLEDGERNAME', 'REFERENCE', 'NARRATION', 'GUID'],
  ...['ISCANCELLED', 'ISOPTIONAL', 'ISDELETED', 'EFFECTIVEDATE', 'base type'],
]
const OF_LINE = ['STOCKITEMNAME', 'ISDEEMEDPOSITIVE', 'RATE', 'AMOUNT', 'ACTUALQTY', 'BILLEDQTY', 'DISCOUNT']
const under = (parent: string, names: readonly string[]) => names.map((name) => `${parent}/${name}`)

/** Headings that each sheet has even if no record of the file has the tag, so that one mapping fits all files. */
export const STANDARD: Readonly<Record<string, readonly string[]>> = {
  company: ['NAME'],
  items: [
    ...['NAME', 'PARENT', 'CATEGORY', 'BASEUNITS', 'ADDITIONALUNITS', 'CONVERSION', 'DENOMINATOR'],
    ...['OPENINGBALANCE', 'OPENINGRATE', 'OPENINGVALUE', 'alias', 'opening value'],
  ],
  'opening batches': [
    ...['line no', 'BATCHNAME', 'GODOWNNAME', 'OPENINGBALANCE', 'OPENINGRATE', 'OPENINGVALUE', 'opening value'],
    ...under('ITEM', ['NAME', 'BASEUNITS', 'PARENT']),
  ],
  ledgers: [
    'NAME',
    'PARENT',
    'ADDRESS',
    'LEDSTATENAME',
    'PINCODE',
    'PARTYGSTIN',
    'EMAIL',
    'LEDGERPHONE',
    'COUNTRYNAME',
  ],
  units: ['NAME', 'ORIGINALNAME', 'ISSIMPLEUNIT', 'BASEUNITS', 'ADDITIONALUNITS', 'CONVERSION'],
  godowns: ['NAME', 'PARENT'],
  vouchers: OF_VOUCHER,
  'inventory lines': [
    ...OF_LINE,
    'line no',
    'direction',
    'value',
    ...['godown', 'tracking', 'tracked line', 'quantity out', 'moves stock'],
    ...under('VOUCHER', OF_VOUCHER),
  ],
  batches: [
    ...['GODOWNNAME', 'BATCHNAME', 'DESTINATIONGODOWNNAME', 'TRACKINGNUMBER', 'ORDERNO', 'AMOUNT', 'ACTUALQTY'],
    ...[
      'BILLEDQTY',
      'MFDON',
      'EXPIRYPERIOD',
      'line no',
      'batch no',
      'direction',
      'value',
      'cost',
      'quantity out',
      'moves stock',
    ],
    ...under('LINE', OF_LINE),
    ...under('VOUCHER', OF_VOUCHER),
  ],
  'ledger lines': [
    ...['LEDGERNAME', 'ISDEEMEDPOSITIVE', 'ISPARTYLEDGER', 'AMOUNT', 'line no', ...under('VOUCHER', OF_VOUCHER)],
  ],
}

/** Reads the records of one file, in their order. */
export class TallySheets {
  readonly #vouchers = new Vouchers();

  *rowsIn(record: Element): Generator<TallyRow> {
    if (record.tag === 'SVCURRENTCOMPANY') {
      if (record.text.trim() !== '') yield { sheet: 'company', cells: new Map([['NAME', record.text.trim()]]) }
      return
    }
    if (record.tag === 'VOUCHER') return yield* this.#vouchers.rows(record)
    const cells = ownCells(record)
    if (record.tag === 'VOUCHERTYPE') this.#vouchers.noteType(cells)
    if (record.tag === 'STOCKITEM') {
      setNegated(cells, 'OPENINGVALUE', 'opening value')
      yield* this.#openingRows(record, cells)
    }
    yield { sheet: MASTERS[record.tag] ?? record.tag.toLowerCase(), cells }
  }

  *#openingRows(item: Element, own: Cells): Generator<TallyRow> {
    const above = prefixed('ITEM', own)
    const batches = item.children.filter(({ tag }) => tag === BATCHES).map(ownCells)
    const filled = batches.filter((cells) => cells.has('OPENINGBALANCE'))
    const rows = filled.length > 0 ? filled : own.has('OPENINGBALANCE') ? [new Map(own)] : []
    for (const [i, cells] of rows.entries()) {
      cells.set('line no', { value: String(i + 1) })
      setNegated(cells, 'OPENINGVALUE', 'opening value')
      this.#vouchers.noteOpening(
        own.get('NAME') ?? null,
        cells.get('OPENINGBALANCE') ?? null,
        cells.get('opening value') ?? null,
      )
      yield { sheet: 'opening batches', cells: new Map([...cells, ...above]) }
    }
  }
}
