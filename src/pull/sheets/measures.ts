/** Units and currencies that cells state, held against the units of the item and the currency of the document. */
import { divide, multiply } from './decimal.js'

/** A number as a fraction of two decimals, so that nothing is rounded. */
export type Ratio = readonly [factor: string, divisor: string]

/** Each family has one size; the number is the size of the unit in the family's smallest. Words for it follow. */
const FAMILIES: readonly (readonly (readonly [size: string, ...words: string[]])[])[] = [
  [
    ['1', 'mg', 'milligram', 'milligrams'],
    ['1000', 'g', 'gm', 'gms', 'gr', 'grm', 'grms', 'gram', 'grams', 'gramme', 'grammes'],
    ['1000000', 'kg', 'kgs', 'kilo', 'kilos', 'kilogram', 'kilograms', 'kgm'],
    ['100000000', 'qtl', 'qtls', 'quintal', 'quintals'],
    ['1000000000', 't', 'mt', 'mts', 'tonne', 'tonnes', 'metric ton', 'metric tons'],
  ],
  [
    ['1', 'ml', 'mls', 'millilitre', 'millilitres', 'milliliter', 'milliliters'],
    ['10', 'cl'],
    ['1000', 'l', 'lt', 'ltr', 'ltrs', 'lts', 'litre', 'litres', 'liter', 'liters'],
    ['1000000', 'kl', 'kilolitre', 'kilolitres'],
  ],
  [
    ['1', 'mm', 'millimetre', 'millimetres', 'millimeter', 'millimeters'],
    ['10', 'cm', 'cms', 'centimetre', 'centimetres', 'centimeter', 'centimeters'],
    ['1000', 'm', 'mtr', 'mtrs', 'metre', 'metres', 'meter', 'meters'],
    ['1000000', 'km', 'kms', 'kilometre', 'kilometres'],
  ],
  [
    ['1', 'nos', 'no', 'number', 'numbers', 'pc', 'pcs', 'piece', 'pieces', 'ea', 'each', 'unit', 'units', 'u'],
    ['2', 'pair', 'pairs', 'prs'],
    ['12', 'doz', 'dozen', 'dozens', 'dz', 'dzn'],
    ['144', 'gross', 'grs'],
  ],
]

const SIZES = new Map(
  FAMILIES.flatMap((family, at) =>
    family.flatMap(([size, ...words]) => words.map((word) => [word, { family: at, size }] as const)),
  ),
)

const plain = (unit: string): string => unit.toLowerCase().replace(/\./g, '').replace(/\s+/g, ' ').trim()

/** The number of units `to` in one unit `from`; undefined if none follows from the other. */
export function unitRatio(from: string, to: string): Ratio | undefined {
  const [a, b] = [plain(from), plain(to)]
  if (a === b) return ['1', '1']
  const [x, y] = [SIZES.get(a), SIZES.get(b)]
  return x !== undefined && y !== undefined && x.family === y.family ? [x.size, y.size] : undefined
}

export const isMeasure = (unit: string): boolean => SIZES.has(plain(unit))

/** Undefined if the result has more than `digits` fraction digits. */
export const times = (number: string, [factor, divisor]: Ratio, digits: number): string | undefined =>
  divide(multiply(number, factor), divisor, digits)

/** Currencies that a sign may stand for. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  '₹': ['INR'],
  rs: ['INR', 'PKR', 'LKR', 'NPR', 'MUR', 'SCR'],
  '€': ['EUR'],
  '£': ['GBP', 'EGP', 'FKP', 'GIP', 'SHP', 'SSP', 'SDG', 'SYP', 'LBP'],
  $: [
    'USD',
    'AUD',
    'CAD',
    'SGD',
    'HKD',
    'NZD',
    'MXN',
    'ARS',
    'CLP',
    'COP',
    'TWD',
    'BSD',
    'BBD',
    'FJD',
    'JMD',
    'NAD',
    'TTD',
  ],
  us$: ['USD'],
  a$: ['AUD'],
  s$: ['SGD'],
  hk$: ['HKD'],
  nz$: ['NZD'],
  '¥': ['JPY', 'CNY'],
  '₩': ['KRW'],
  '₽': ['RUB'],
  '₺': ['TRY'],
  '₫': ['VND'],
  '฿': ['THB'],
  '₱': ['PHP'],
  '₦': ['NGN'],
  '৳': ['BDT'],
  '₴': ['UAH'],
  '₪': ['ILS'],
}

/** The currencies that a code or a sign may mean; none if it is unknown. */
export function currenciesOf(text: string): readonly string[] {
  if (/^[a-z]{3}$/i.test(text)) return [text.toUpperCase()]
  return SIGNS[text.toLowerCase().replace('.', '')] ?? []
}
