/** Words for the names of fields, for the console and for the headings of workbooks: `final_TrfChrg` is "Final transfer charges". */

/** Names whose words do not tell what the field has. */
const NAMED: Readonly<Record<string, string>> = {
  _cancelled: 'Cancelled, not counted',
  Qty_Value: 'Opening value',
  final_value: 'Closing value',
  ThatPeriod_CrValue: 'Value in during the period',
  ThatPeriod_DrValue: 'Value out during the period',
  ThatPeriod_HoldValue: 'Value on hold',
  Hold_qty: 'Quantity on hold',
  Hold_val: 'Value on hold',
  Hold_val_tax: 'Value on hold incl. tax',
  per_unit_cogs: 'Cost of goods per unit',
  Total_cost_cogs: 'Total cost of goods',
  days_no: 'Days to delivery',
}

/** Words that the contract shortens, joins or misspells, and words of the trade that keep their spelling. */
const SPELLED: Readonly<Record<string, string>> = {
  sku: 'SKU',
  uom: 'unit',
  po: 'PO',
  pono: 'PO number',
  podate: 'PO date',
  poid: 'PO id',
  so: 'SO',
  grn: 'GRN',
  gst: 'GST',
  gstn: 'GSTIN',
  igst: 'IGST',
  sgst: 'SGST',
  cgst: 'CGST',
  hsn: 'HSN',
  sac: 'SAC',
  mrp: 'MRP',
  bom: 'BOM',
  qc: 'QC',
  wip: 'WIP',
  wh: 'warehouse',
  id: 'id',
  no: 'number',
  qty: 'quantity',
  val: 'value',
  amt: 'amount',
  moveto: 'moved to',
  movetobad: 'moved to bad',
  unpacked: 'unpacked',
  transfered: 'transferred',
  effetive: 'effective',
  inc: 'incl.',
  ex: 'excl.',
  extax: 'excl. tax',
  inctax: 'incl. tax',
  inv: 'stock',
  prod: 'product',
  mat: 'material',
  mfg: 'manufacturing',
  exp: 'expected',
  req: 'required',
  rec: 'receipt',
  oth: 'other',
  prd: 'production',
  pur: 'purchase',
  trf: 'transfer',
  chrg: 'charges',
  cr: 'in',
  dr: 'out',
  rej: 'rejected',
  ret: 'returned',
  pass: 'passed',
  round: 'rounding',
  itemcode: 'item code',
  itemname: 'item name',
  taxrate: 'tax rate',
  avg: 'average',
  min: 'minimum',
  max: 'maximum',
  fy: 'financial year',
}

const known = new Map<string, string>()

/** The label of a field, by its name; `customer.billing.city` for a field of an object. */
export function labelOf(name: string): string {
  const found = known.get(name)
  if (found !== undefined) return found
  const label = NAMED[name] ?? sentence(wordsOf(name))
  known.set(name, label)
  return label
}

function wordsOf(name: string): string[] {
  const words = name
    .replace(/^_+/, '')
    .replace(/_per$/, '_%')
    .replace(/_val_tax$/, '_val_inctax')
    .split(/[_.\s]+/)
    .flatMap((word) => (SPELLED[word.toLowerCase()] === undefined ? word.split(/(?<=[a-z])(?=[A-Z0-9])/) : [word]))
    .map((word) => SPELLED[word.toLowerCase()] ?? (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
  return words.filter((word, i) => word !== words[i - 1]) // `customer.customer_name` is one customer
}

const sentence = (words: readonly string[]): string => {
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
