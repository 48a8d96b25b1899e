/** Words for the names of fields: `ThatPeriod_CrValue` is "That period cr value". */

/** Words of the trade that keep their spelling. */
const SPELLED: Readonly<Record<string, string>> = {
  sku: 'SKU',
  uom: 'unit',
  po: 'PO',
  pono: 'PO no',
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
  mrp: 'MRP',
  bom: 'BOM',
  qc: 'QC',
  wh: 'warehouse',
  id: 'id',
  no: 'no',
  qty: 'quantity',
  val: 'value',
  amt: 'amount',
  cogs: 'of goods',
  moveto: 'moved to',
  movetobad: 'moved to bad',
  unpacked: 'unpacked',
  inc: 'incl.',
  ex: 'excl.',
  extax: 'excl. tax',
  inctax: 'incl. tax',
  prod: 'product',
  mat: 'material',
  mfg: 'made',
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
  itemcode: 'item code',
  itemname: 'item name',
  taxrate: 'tax rate',
}

const known = new Map<string, string>()

export function labelOf(name: string): string {
  const found = known.get(name)
  if (found !== undefined) return found
  const words = name
    .replace(/^_+/, '')
    .replace(/_per$/, '_%')
    .split(/[_.\s]+/)
    .flatMap((word) => (SPELLED[word.toLowerCase()] === undefined ? word.split(/(?<=[a-z])(?=[A-Z])/) : [word]))
    .map((word) => SPELLED[word.toLowerCase()] ?? (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
  const text = words.join(' ')
  const label = text.charAt(0).toUpperCase() + text.slice(1)
  known.set(name, label)
  return label
}

/** `1 row`, `1,204 rows` */
export const counted = (count: string, one: string, many = `${one}s`): string =>
  `${count} ${count === '1' ? one : many}`

/** The pages of operators, by the last part of their path. */
export const OPERATE: Readonly<Record<string, string>> = {
  clients: 'Clients',
  users: 'Users',
  sessions: 'Sessions',
  audit: 'Audit trail',
  loads: 'Loads',
  import: 'Try an import',
}
