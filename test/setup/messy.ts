/** Random sales of a firm, rendered as the messy sheets that people keep: the same data in many forms. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type OdsCell, writeOds } from './ods.js'
import { writeXlsx, type XlsxCell } from './xlsx.js'

export interface Line {
  item: string
  /** In thousandths. */
  qty: number
  /** In hundredths, as the amount. */
  rate: number
  amount: number
}

export interface Voucher {
  no: string
  /** Days after 1 April 2024. */
  day: number
  party: string | null
  lines: Line[]
}

const word = fc.stringMatching(/^[A-Z][a-z]{2,6}( [A-Z][a-z]{1,5})?$/).filter((text) => !/total/i.test(text))
const ITEMS = ['Milk', 'Ghee 1 L', 'Tin "L"', 'A & B <x>', '007', 'Öl; kalt']

export const vouchers = fc
  .uniqueArray(
    fc.record({
      no: fc.integer({ min: 1, max: 9999 }).map((no) => `S-${no}`),
      day: fc.integer({ min: 0, max: 800 }),
      party: fc.option(word),
      lines: fc.array(
        fc.record({
          item: fc.constantFrom(...ITEMS),
          qty: fc.integer({ min: 1, max: 9_999_999 }),
          rate: fc.integer({ min: 0, max: 9_999_999 }),
          amount: fc.integer({ min: -99_999_999, max: 999_999_999 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    { selector: ({ no }) => no, minLength: 1, maxLength: 5 },
  )
  .map((all): Voucher[] => all)

const anyShape = fc.record({
  format: fc.constantFrom('xlsx', 'ods', 'csv', 'tally'),
  titles: fc.integer({ min: 0, max: 3 }),
  blanks: fc.boolean(),
  totals: fc.constantFrom('none', 'end', 'each'),
  groups: fc.boolean(),
  fill: fc.boolean(),
  /** The sign before fractions in texts. */
  decimal: fc.constantFrom('.', ','),
  /** Of a text file. */
  separator: fc.constantFrom(',', ';', '\t', '|'),
  encoding: fc.constantFrom('utf-8', 'utf-8 marked', 'utf-16 marked', 'utf-16', 'windows-1252'),
  ends: fc.constantFrom('\n', '\r\n', '\r'),
  numbers: fc.constantFrom('number', 'plain', 'indian', 'western'),
  negatives: fc.constantFrom('-1', '(1)', '1-'),
  units: fc.constantFrom('none', 'Kgs', 'g'),
  currency: fc.constantFrom('', '₹ ', 'Rs. '),
  dates: fc.constantFrom('date', 'DD-MM-YYYY', 'DD-MMM-YY', 'mixed'),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
  /** Makes one cell wrong or unclear. */
  noise: fc.option(fc.constantFrom('word', 'comma', 'unit', 'currency', 'date', 'crore', 'error'), { freq: 4 }),
})

export type Shape = typeof anyShape extends fc.Arbitrary<infer T> ? T : never

/** Windows-1252 has no sign for rupees. */
export const shape: fc.Arbitrary<Shape> = anyShape.map((one) =>
  one.encoding === 'windows-1252' && one.currency === '₹ ' ? { ...one, currency: 'Rs. ' } : one,
)

/** A cell in any format. */
type Cell = null | { text: string } | { number: number; unit?: string } | { day: number } | { error: true }

const [WEST, INDIA] = [/\B(?=(\d{3})+$)/g, /\B(?=(\d\d)*\d{3}$)/g]

export const decimal = (digits: number, scale: number): string => {
  const all = String(Math.abs(digits)).padStart(scale + 1, '0')
  const fraction = all.slice(-scale).replace(/0+$/, '')
  return `${digits < 0 ? '-' : ''}${all.slice(0, -scale)}${fraction && `.${fraction}`}`
}

export const dayOf = (day: number): string => new Date(Date.UTC(2024, 3, 1 + day)).toISOString().slice(0, 10)

/** 1,234.50 as 1.234,50. */
const inDecimal = (text: string, sign: string): string =>
  sign === '.' ? text : text.replace(/[.,]/g, (one) => (one === '.' ? ',' : '.'))

function numberCell(
  digits: number,
  scale: number,
  { numbers, negatives, decimal: sign }: Shape,
  before = '',
  after = '',
): Cell {
  if (numbers === 'number' && before === '' && !/[/]/.test(after))
    return { number: digits / 10 ** scale, ...(after !== '' && { unit: after.trim() }) }
  const [whole = '', fraction] = decimal(Math.abs(digits), scale).split('.')
  const grouped =
    numbers === 'indian' && sign === '.'
      ? whole.replace(INDIA, ',')
      : numbers === 'western'
        ? whole.replace(WEST, ',')
        : whole
  const number = inDecimal(fraction === undefined ? grouped : `${grouped}.${fraction}`, sign)
  const signed =
    digits >= 0
      ? `${before}${number}`
      : negatives === '(1)'
        ? `(${before}${number})`
        : negatives === '1-' && after === ''
          ? `${before}${number}-`
          : `-${before}${number}`
  return { text: `${signed}${after}` }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function dateCell(day: number, nth: number, { dates }: Shape): Cell {
  const how = dates === 'mixed' ? (['date', 'DD-MM-YYYY', 'DD-MMM-YY'] as const)[nth % 3] : dates
  const [year = '', month = '', date = ''] = dayOf(day).split('-')
  if (how === 'date') return { day }
  return {
    text:
      how === 'DD-MM-YYYY'
        ? `${date}-${month}-${year}`
        : `${Number(date)}-${MONTHS[Number(month) - 1]}-${year.slice(2)}`,
  }
}

const NOISE: Record<string, readonly [column: number, cell: Cell]> = {
  word: [4, { text: 'many' }],
  comma: [4, { text: '1,5' }],
  unit: [4, { text: '3 bags' }],
  currency: [6, { text: 'USD 5.00' }],
  date: [1, { text: '2024/31/12' }],
  crore: [6, { text: '2 Cr' }],
  error: [4, { error: true }],
}

/** Rows of cells, and the first row of the header from 1. */
function rowsOf(all: readonly Voucher[], shape: Shape): { rows: Cell[][]; header: number } {
  const { titles, blanks, totals, groups, fill, units, currency, order, noise, decimal } = shape
  const text = (one: string | null): Cell => (one === null ? null : { text: one })
  const placed = (cells: readonly Cell[]): Cell[] => order.map((at) => cells[at] ?? null)
  const rows: Cell[][] = Array.from({ length: titles }, (_, i) => [text(`Title ${i}`)])
  const header = rows.length + 1
  // A second column Qty in another group, which nothing maps.
  if (groups) rows.push([...placed([null, null, null, null, text('Out'), text('Out'), text('Out')]), text('In'), null])
  const names = ['No', 'Date', 'Party', 'Item', 'Qty', 'Rate', 'Amount']
  rows.push([...placed(names.map(text)), ...(groups ? [text('Qty'), text('Rate')] : [])])
  const total = () => placed([null, null, null, text('Sub Total'), { number: 1 }, null, { number: 2 }])
  let first = true
  for (const [nth, { no, day, party, lines }] of all.entries()) {
    if (blanks && nth > 0) rows.push([])
    for (const [i, { item, qty, rate, amount }] of lines.entries()) {
      const head = i === 0 || !fill ? [text(no), dateCell(day, nth, shape), text(party)] : [null, null, null]
      const unit = units === 'none' ? '' : ` ${units}`
      const cells = [
        ...[...head, text(item), numberCell(units === 'g' ? qty * 1000 : qty, 3, shape, '', unit)],
        numberCell(rate, 2, shape, '', units === 'g' ? '/Kgs' : ''),
        numberCell(amount, 2, shape, currency),
      ]
      if (first && noise !== null) {
        const [column, cell] = NOISE[noise] as readonly [number, Cell]
        cells[column] = noise === 'comma' ? { text: inDecimal('1,5', decimal) } : cell
      }
      first = false
      rows.push([...placed(cells), ...(groups ? [{ number: 9 } as Cell, { number: 8 } as Cell] : [])])
    }
    if (totals === 'each') rows.push(total())
  }
  if (totals !== 'none') rows.push(total())
  return { rows, header }
}

const SERIAL = 45_383 // 1 April 2024

const xlsxCell = (cell: Cell): XlsxCell => {
  if (cell === null) return null
  if ('text' in cell) return cell.text
  if ('error' in cell) return { error: '#REF!' }
  if ('day' in cell) return { date: SERIAL + cell.day }
  return cell.unit === undefined ? cell.number : { number: cell.number, format: `0.000" ${cell.unit}"` }
}

const odsCell = (cell: Cell): OdsCell => {
  if (cell === null) return null
  if ('text' in cell) return cell.text
  if ('error' in cell)
    return { attributes: 'office:value-type="string" calcext:value-type="error"', content: '<text:p>#REF!</text:p>' }
  if ('day' in cell) return { day: dayOf(cell.day) }
  return cell.unit === undefined ? cell.number : { number: cell.number, after: ` ${cell.unit}` }
}

const csvCell = (cell: Cell, sign = '.'): string => {
  if (cell === null) return ''
  const text =
    'text' in cell
      ? cell.text
      : 'error' in cell
        ? '#REF!'
        : 'day' in cell
          ? dayOf(cell.day).split('-').reverse().join('-')
          : `${inDecimal(String(cell.number), sign)}${cell.unit === undefined ? '' : ` ${cell.unit}`}`
  return /[",\n;|]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Sales as Tally exports them. */
function tallyText(all: readonly Voucher[], { units, noise }: Shape): string {
  const unit = units === 'g' ? 'g' : 'Kgs'
  const wrong = (name: string, text: string, first: boolean) =>
    first && noise !== null && WRONG[noise]?.[0] === name ? WRONG[noise]?.[1] : text
  let first = true
  const messages = all.map(({ no, day, party, lines }) => {
    const entries = lines.map(({ item, qty, rate, amount }) => {
      const quantity = wrong('ACTUALQTY', ` ${decimal(units === 'g' ? qty * 1000 : qty, 3)} ${unit}`, first)
      const money = wrong('AMOUNT', decimal(amount, 2), first)
      const entry = `<ALLINVENTORYENTRIES.LIST><STOCKITEMNAME>${escaped(item)}</STOCKITEMNAME><ISDEEMEDPOSITIVE>No</ISDEEMEDPOSITIVE><RATE>${decimal(rate, 2)}/Kgs</RATE><AMOUNT>${money}</AMOUNT><ACTUALQTY>${quantity}</ACTUALQTY></ALLINVENTORYENTRIES.LIST>`
      return entry
    })
    const date = wrong('DATE', dayOf(day).replaceAll('-', ''), first)
    first = false
    return `<TALLYMESSAGE><VOUCHER><DATE>${date}</DATE><PARTYLEDGERNAME>${escaped(party ?? '')}</PARTYLEDGERNAME><VOUCHERTYPENAME>Sales</VOUCHERTYPENAME><VOUCHERNUMBER>${no}</VOUCHERNUMBER>${entries.join('')}<ALLINVENTORYENTRIES.LIST> </ALLINVENTORYENTRIES.LIST></VOUCHER></TALLYMESSAGE>`
  })
  return `<ENVELOPE><BODY><IMPORTDATA><REQUESTDATA>${messages.join('\n')}</REQUESTDATA></IMPORTDATA></BODY></ENVELOPE>`
}

const WRONG: Record<string, readonly [tag: string, text: string]> = {
  ...{ word: ['ACTUALQTY', 'many'], comma: ['ACTUALQTY', '1,5 Kgs'], unit: ['ACTUALQTY', '3 bags'] },
  ...{
    currency: ['AMOUNT', '$ 5.00'],
    date: ['DATE', '20243112'],
    crore: ['AMOUNT', '2 Cr'],
    error: ['AMOUNT', '#REF!'],
  },
}

function bytesOf(rows: readonly Cell[][], { separator, encoding, ends, decimal }: Shape): Buffer {
  const text = rows.map((row) => `${row.map((cell) => csvCell(cell, decimal)).join(separator)}${ends}`).join('')
  const mark = encoding.endsWith('marked') ? '\uFEFF' : ''
  if (encoding === 'windows-1252') return Buffer.from(text, 'latin1')
  return Buffer.from(`${mark}${text}`, encoding.startsWith('utf-16') ? 'utf16le' : 'utf8')
}

/** What a mapping says of a text file. */
const asText = ({ separator, encoding }: Shape): string =>
  `, separator: ${JSON.stringify(separator)}${encoding === 'utf-16' ? ', encoding: utf-16le' : encoding === 'windows-1252' ? ', encoding: windows-1252' : ''}`

/** Writes the sheet and the list of items; returns the mapping that fits. */
export async function render(folder: string, all: readonly Voucher[], shape: Shape): Promise<string> {
  const items = ITEMS.map((item) => `${csvCell({ text: item })},KG`)
  writeFileSync(join(folder, 'items.csv'), `Item,Unit\n${items.join('\n')}\n`)
  const { format, groups } = shape
  const masters = 'items: {file: items.csv, columns: {sku: Item, name: Item, unit: Unit}, constants: {type: MAT}}'
  if (format === 'tally') {
    writeFileSync(join(folder, 'sales.xml'), tallyText(all, shape))
    return `
entities:
  ${masters}
  sales_orders:
    {file: sales.xml, sheet: inventory lines, first: true, columns: {order_no: VOUCHER/VOUCHERNUMBER, order_date: VOUCHER/DATE,
     customer_code: VOUCHER/PARTYLEDGERNAME, taxable_amt: {sum: AMOUNT}}}
  sales_order_items:
    {file: sales.xml, sheet: inventory lines, columns: {order_no: VOUCHER/VOUCHERNUMBER, line_no: line no, sku: STOCKITEMNAME,
     qty: ACTUALQTY, rate: RATE, taxable_amt: AMOUNT}}
`
  }
  const { rows, header } = rowsOf(all, shape)
  const file = join(folder, `sales.${format}`)
  if (format === 'xlsx') await writeXlsx(file, { Sales: rows.map((row) => row.map(xlsxCell)) })
  else if (format === 'ods') await writeOds(file, { Sales: rows.map((row) => row.map(odsCell)) })
  else writeFileSync(file, bytesOf(rows, shape))
  const of = (name: string) => (groups ? `Out / ${name}` : name)
  const common = `file: sales.${format}, header: ${groups ? `${header}-${header + 1}` : header}, leave_out: {column: Item, like: "*total*"}${format === 'csv' ? asText(shape) : ''}`
  const no = 'order_no: {column: No, fill: down}'
  return `
dates: [DD-MM-YYYY, DD-MMM-YY]
decimal: "${shape.decimal}"
blank: true
entities:
  ${masters}
  sales_orders:
    {${common}, first: true, columns: {${no}, order_date: {column: Date, fill: down}, customer_code: {column: Party, fill: down},
     taxable_amt: {sum: ${of('Amount')}}}}
  sales_order_items:
    {${common}, columns: {${no}, line_no: {count: No}, sku: Item, qty: ${of('Qty')}, rate: ${of('Rate')}, taxable_amt: ${of('Amount')}}}
`
}
