/** Words, fields and columns that several reports share. */
import { raw, type Sql, sql } from '../../db/sql.js'
import { Contact, type InWords, Text, Word } from '../../kernel/report/fields.js'

/** Types of items, as the reports name them. */
const itemTypes = {
  FG: 'Finished Good',
  SFG: 'Semi Finished Good',
  COMBO: 'Physical Combo',
  MAT: 'Material',
  SRV: 'Service',
} as const

export const ItemType = (...types: (keyof typeof itemTypes)[]) =>
  Word(
    types.map((type) => itemTypes[type]),
    'Type of the item.',
  )

/** The type of the item `i`. */
export const itemType: Sql = raw(
  `case i.type ${Object.entries(itemTypes)
    .map(([type, word]) => `when '${type}' then '${word}'`)
    .join(' ')} end`,
)

/** The statuses of a purchase order. */
export const poStatuses = ['CREATED', 'PARTIAL RECEIVED', 'RECEIVED', 'CLOSED', 'CANCELLED'] as const

/** Such words as people write them: "Partial received" for `PARTIAL RECEIVED`, "Made from" for `made-from`. */
export const asWritten = (words: readonly string[]): InWords =>
  Object.fromEntries(
    words.map((word) => {
      const text = word.toLowerCase().replaceAll(/[-_]/g, ' ')
      return [word, text.charAt(0).toUpperCase() + text.slice(1)]
    }),
  )

/** The statuses of orders. */
export const orderStatusesInWords = {
  ...asWritten(['CREATED', 'RECEIVED', 'ISSUED', 'CLOSED', 'CANCELLED', 'OPEN']),
  'PARTIAL RECEIVED': 'Partly received',
  'PARTIAL ISSUED': 'Partly issued',
  'Partial Issued': 'Partly issued',
  'Partial Received': 'Partly received',
}

export const ProdType = Word(['Single', 'Combo'], '`Combo` for a physical combo, else `Single`.')

export const prodType: Sql = raw(`case i.type when 'COMBO' then 'Combo' else 'Single' end`)

/** Code, name and unit of the item `i` of a line, which may have a description instead. */
export const lineItem = (line: string): Sql =>
  raw(`coalesce(i.sku, '') as sku, coalesce(i.name, ${line}.description) as name, coalesce(i.unit, '') as unit`)

/** A further condition, if its value is given. */
export const only = (value: string | undefined, condition: (value: string) => Sql): Sql =>
  value === undefined ? raw('') : sql`and ${condition(value)}`

/** The place of a column's word in a list, from 1. */
export const position = (words: readonly string[], column: string): Sql =>
  raw(`array_position(array[${words.map((word) => `'${word}'`).join(', ')}], ${column})`)

/** Whether the line `b` of a bill of materials holds on a day. */
export const validOn = (day: Sql): Sql => sql`b.valid_from <= ${day} and (b.valid_to is null or b.valid_to >= ${day})`

/** Today in the time zone of the account, or the day of an answer as known. */
export const today: Sql = sql`(select day from today)`

/** The members of an address after the name. */
export const place = {
  address1: Text('First line of the address.'),
  address2: Text('Second line of the address.'),
  city: Text('City.'),
  state: Text('State.'),
  country: Text('Country.'),
  pincode: Text('Postal code.'),
  gstn: Text('Tax registration.'),
  phone: Contact('Phone number.'),
  email: Contact('Email address.'),
}

const parts = ['buyer', ...Object.keys(place)]

/** The columns of an address: `<from>_city` as `<name>_city` and so on; empty where there is none. */
export const addressColumns = (name: string, from: string): Sql =>
  raw(parts.map((part) => `coalesce(${from}_${part}, '') as ${name}_${part}`).join(', '))

/** Whether the order `o` has a shipping address, of which parts may be missing. */
const hasAddress = `num_nonnulls(${parts.map((part) => `o.shipping_${part}`)}) > 0`

/** A part of the address that the order `o` of the customer `c` goes to: the order's own, or the customer's. */
const shipToPart = (part: string) =>
  `case when o.shipping_${part} is not null then o.shipping_${part} when ${hasAddress} then ''
        else coalesce(c.shipping_${part}, '') end`

export const shipTo = (part: string): Sql => raw(shipToPart(part))

/** The whole shipping address, as columns `<name>_city` and so on. */
export const shipToColumns = (name: string): Sql =>
  raw(parts.map((part) => `${shipToPart(part)} as ${name}_${part}`).join(', '))
