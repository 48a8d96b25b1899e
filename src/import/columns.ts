/** The types of an import file's columns: which cells they accept, how messages describe these, and how values are stored. */
import { isCalendarDate } from '../calendar.js'
import { type Sql, sql } from '../db/sql.js'

/** A value as a file holds it: text in CSV, any JSON value in JSONL, a value of the column's type in Parquet. */
export type Cell = string | number | bigint | boolean | null | undefined | object

export interface Column {
  /** The SQL type of its values; the table's column may allow fewer values. */
  readonly sqlType: string
  /** The accepted values, as the end of a sentence that begins with "expected". */
  readonly expects: string
  /** The value as PostgreSQL reads it; undefined if it is invalid. Never called for an empty cell. */
  readonly read: (cell: string) => string | undefined
  readonly description: string
  readonly example: string
  readonly required: boolean
  /** The value of an empty cell in a column that is not required. */
  readonly fallback: string | null
  /** A quoted empty text (`""`) is kept; elsewhere it counts as an empty cell. */
  readonly keepsEmpty?: true
  /** The table's column, where its name differs. */
  readonly stored?: string
  /** The value is the code of a master, and the table stores the master's id. */
  readonly lookup?: Lookup
  /** In a document, the exchange rate converts an amount, the unit's factor a quantity, and both a price. */
  readonly measure?: 'amount' | 'quantity' | 'price'
  /** A value in the account's currency. */
  readonly isValue?: true
  /** A rate, for which people also write `18 %`. */
  readonly inPercent?: true
  /** The loader computes an empty cell from the rest of the document. */
  readonly workedOut?: true
  /** The accepted words, of a column that accepts no others. */
  readonly words?: readonly string[]
}

export interface Lookup {
  readonly table: string
  /** The entity that has to contain the row, for messages. */
  readonly entity: string
  /** Selects the `id` of each code `ref`. */
  readonly ids: Sql
  /** A row can be found by a value that may later belong to another row, such as a name. */
  readonly changeable?: true
}

type Options = { readonly stored?: string; readonly example?: string }

interface TextOptions extends Options {
  /** In characters. */
  readonly longest?: number
}

const column = (
  about: Pick<Column, 'sqlType' | 'expects' | 'read' | 'description' | 'example'>,
  { stored, example }: Options = {},
): Column => ({
  ...about,
  ...(stored !== undefined && { stored }),
  ...(example !== undefined && { example }),
  required: true,
  fallback: null,
})

/** May be left empty or left out. */
export const Optional = (inner: Column, fallback: string | null = null): Column => ({
  ...inner,
  required: false,
  fallback,
})

/** May be left empty: the loader then computes it from the rest of the document. */
export const WorkedOut = (inner: Column): Column => ({ ...Optional(inner), workedOut: true })

/** Any text, kept as it is. */
export const Text = (description: string, { longest = 10_000, ...options }: TextOptions = {}): Column => ({
  ...column(
    {
      ...{ sqlType: 'text collate "C"', expects: `text of at most ${longest} characters` },
      ...{ description, example: 'text' },
      read: (cell) => (cell.length <= longest && !cell.includes('\0') && cell.isWellFormed() ? cell : undefined),
    },
    options,
  ),
  keepsEmpty: true,
})

/** The code of a currency, as in ISO 4217. */
export const Currency = (description: string): Column =>
  column({
    ...{ sqlType: 'text collate "C"', expects: 'a code of three capital letters, such as INR' },
    ...{ description, example: 'INR' },
    read: (cell) => (/^[A-Z]{3}$/.test(cell) ? cell : undefined),
  })

/** The name of a time zone. */
export const TimeZone = (description: string): Column =>
  column({
    ...{ sqlType: 'text', expects: 'the name of a time zone, such as Asia/Kolkata' },
    ...{ description, example: 'Asia/Kolkata' },
    read: (cell) => (/^[A-Z]\w*(\/[\w+-]+)*$/.test(cell) && isTimeZone(cell) ? cell : undefined),
  })

/** A code, or the number of a document: no spaces at its ends, no control characters. */
export const Code = (description: string, options?: Options): Column =>
  column(
    {
      ...{ sqlType: 'text collate "C"', expects: 'a code without spaces at its ends', description, example: 'A-1' },
      read: (cell) => (/^(?!\s)[^\p{Cc}]{1,200}(?<!\s)$/u.test(cell) && cell.isWellFormed() ? cell : undefined),
    },
    options,
  )

/** A number of one of these lengths that is kept as text, zeros in front included. */
export const Digits = (lengths: readonly number[], description: string, example: string): Column =>
  column(
    {
      ...{ sqlType: 'text collate "C"', expects: `${lengths.join(', ').replace(/, (?=\d+$)/, ' or ')} digits` },
      ...{ description, example },
      read: (cell) => (/^\d+$/.test(cell) && lengths.includes(cell.length) ? cell : undefined),
    },
    { example },
  )

/** GS1's number of a place. */
export const Gln = (description: string): Column => Digits([13], description, '8901234000019')

interface DecimalOptions extends Options {
  readonly smallest?: 'any' | 'zero' | 'above zero'
  readonly largest?: number
}

/** An exact decimal with a limited number of digits. It drops further zeros, which databases write. */
export function Decimal(
  integerDigits: number,
  fractionDigits: number,
  description: string,
  options: DecimalOptions = {},
): Column {
  const { smallest = 'zero', largest } = options
  const pattern = new RegExp(
    `^${smallest === 'any' ? '-?' : ''}(0|[1-9]\\d{0,${integerDigits - 1}})(\\.\\d{1,${fractionDigits}}0*)?$`,
  )
  const bounds = { any: 'may be negative', zero: '0 or more', 'above zero': 'more than 0' }[smallest]
  const limit = largest === undefined ? '' : `, at most ${largest}`
  return column(
    {
      sqlType: 'numeric',
      expects: `a decimal such as 1234.5 with at most ${fractionDigits} fraction digits, ${bounds}${limit}`,
      description,
      example: '12.5',
      read: (cell) =>
        pattern.test(cell) &&
        (smallest !== 'above zero' || /[1-9]/.test(cell)) &&
        (largest === undefined || Number(cell) <= largest)
          ? cutAfter(cell, fractionDigits)
          : undefined,
    },
    options,
  )
}

const cutAfter = (decimal: string, fractionDigits: number): string => {
  const point = decimal.indexOf('.')
  return point === -1 ? decimal : decimal.slice(0, point + 1 + fractionDigits)
}

/** Decimals with the digits that the tables keep. */
export const Quantity = (description: string, options?: DecimalOptions): Column => ({
  ...Decimal(20, 4, description, options),
  measure: 'quantity',
})
/** A value of stock, with the digits of a quantity: neither a unit nor a currency converts it. */
export const StockValue = (description: string, options?: DecimalOptions): Column => ({
  ...Decimal(20, 4, description, options),
  isValue: true,
})
export const Amount = (description: string, options?: DecimalOptions): Column => ({
  ...Decimal(20, 2, description, options),
  measure: 'amount',
})
/** The price of one unit. */
export const Price = (description: string, options?: DecimalOptions): Column => ({
  ...Decimal(20, 6, description, options),
  measure: 'price',
})
/** An exchange rate, or the factor of a unit, with up to 12 fraction digits. */
export const Factor = (description: string, options?: DecimalOptions) =>
  Decimal(12, 12, description, { smallest: 'above zero', ...options })
export const Percent = (description: string, options?: DecimalOptions): Column => ({
  ...Decimal(3, 4, description, { largest: 100, ...options }),
  inPercent: true,
})

export const Integer = (smallest: number, description: string, options?: Options): Column =>
  column(
    {
      ...{ sqlType: 'integer', expects: `a whole number, ${smallest} or more`, description, example: '1' },
      read: (cell) =>
        /^(0|[1-9]\d{0,9})(\.0+)?$/.test(cell) && Number(cell) >= smallest && Number(cell) <= 2_147_483_647
          ? String(Number(cell))
          : undefined,
    },
    options,
  )

/** A calendar date, ISO only. A time at midnight counts as its date, because many databases export dates like that. */
export const Day = (description: string, options?: Options): Column =>
  column(
    {
      ...{ sqlType: 'date', expects: 'a calendar date as YYYY-MM-DD', description, example: '2026-04-01' },
      read: (cell) => {
        const day = cell.length > 10 ? cell.replace(MIDNIGHT, '') : cell
        return isCalendarDate(day) ? day : undefined
      },
    },
    options,
  )

/** Date and time in the account's time zone, written without a zone. A date alone is its midnight; parts of a second are cut off. */
export const Moment = (description: string, options?: Options): Column =>
  column(
    {
      sqlType: 'timestamp(0)',
      expects: "a time in the account's time zone as YYYY-MM-DD HH:MM:SS",
      description,
      example: '2026-04-01 14:30:00',
      read: (cell) => {
        if (isCalendarDate(cell)) return `${cell} 00:00:00`
        const [, day, time] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)?$/.exec(cell) ?? []
        return day && time && isCalendarDate(day) && isTime(time) ? `${day} ${time}` : undefined
      },
    },
    options,
  )

export const ClockTime = (description: string, options?: Options): Column =>
  column(
    {
      ...{ sqlType: 'time(0)', expects: 'a time as HH:MM:SS', description, example: '14:30:00' },
      read: (cell) => {
        const time = cell.replace(/\.\d+$/, '')
        return isTime(time) ? time : undefined
      },
    },
    options,
  )

export const YesNo = (description: string, options?: Options): Column =>
  column(
    {
      ...{ sqlType: 'boolean', expects: 'true or false', description, example: 'true' },
      read: (cell) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() : undefined),
    },
    options,
  )

/** One of a few words. */
export const Word = (words: readonly string[], description: string, options?: Options): Column => ({
  ...column(
    {
      sqlType: 'text collate "C"',
      expects: `one of ${words.join(', ')}`,
      description,
      example: words[0] ?? '',
      read: (cell) => words.find((word) => word === cell),
    },
    options,
  ),
  words,
})

/** Several texts in one cell, separated by `|`. */
export const List = (description: string, options?: Options): Column =>
  column(
    {
      ...{ sqlType: 'text[]', expects: 'texts separated by |', description, example: 'Asha Rao|Vikram Shah' },
      read: (cell) =>
        cell.includes('\0') || !cell.isWellFormed()
          ? undefined
          : `{${cell.split('|').map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`)}}`,
    },
    options,
  )

/** The code of an item, which the table keeps as its id. */
export const ItemCode = (stored: string, description: string): Column => ({
  ...Code(description, { stored, example: 'FG-101' }),
  lookup: { table: 'item', entity: 'items', ids: sql`select id, sku as ref from item` },
})

/** The key or the location of a warehouse. */
export const WarehouseName = (description: string): Column => ({
  ...Text(`${description} By its key or its location.`, { stored: 'warehouse_id', example: 'Pune Plant' }),
  lookup: {
    table: 'warehouse',
    entity: 'warehouses',
    changeable: true,
    ids: sql`select id, key as ref from warehouse union select id, code from warehouse union select id, location from warehouse`,
  },
})

/** A cell as the text that a CSV file would contain; null for no value, undefined where there is no such text. */
export function cellText(cell: Cell): string | null | undefined {
  switch (typeof cell) {
    case 'string':
      return cell
    case 'number':
      // A double may have rounded a longer number.
      return Number.isFinite(cell) && String(cell).replace(/[-.]/g, '').replace(/^0+/, '').length <= 15
        ? String(cell)
        : undefined
    case 'bigint':
    case 'boolean':
      return String(cell)
    case 'undefined':
      return null
    default:
      if (cell === null) return null
      if (Array.isArray(cell)) return cell.every((part) => typeof part === 'string') ? cell.join('|') : undefined
      return undefined
  }
}

const MIDNIGHT = /[ T]00:00:00(\.0+)?$/

const isTime = (text: string) => /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text)

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
