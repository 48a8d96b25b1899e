/** Totals of documents that a load compares with what they should add up to. */
import { raw, sql } from '../db/sql.js'
import type { Doubt } from './checks.js'
import { given } from './conversion.js'

/** A table's name in a sentence. */
const called = (table: string) => table.replaceAll('_', ' ')

/** A document, identified by its number, whose amount differs from the sum of other amounts in the same row `d`. */
export const partsAddUp = (
  entity: string,
  table: string,
  no: string,
  amount: string,
  parts: readonly string[],
): Doubt => {
  // In the document's own currency: each part of a converted document is rounded for itself.
  const whole = given('d', amount)
  const sum = parts.map((part) => given('d', part)).join(' + ')
  return {
    check: `${amount} of a ${called(table)} is not the sum of its parts`,
    entities: [entity],
    query: (isLoaded) => sql`
      select ${raw(`'${table} ' || d.${no} || ': ${amount} is ' || ${whole} || ', its parts add up to ' || (${sum})`)}
        from ${raw(table)} d where ${raw(whole)} <> ${raw(sum)} and ${isLoaded(no)} order by d.${raw(no)}`,
  }
}

/** A document whose amount differs from the sum of a column of its lines; its number is the last column of its key. */
export const linesAddUp = (
  entities: readonly [documents: string, lines: string],
  table: string,
  key: readonly string[],
  amount: string,
  column: string,
): Doubt => {
  const no = key.at(-1) as string
  const text = `'${table} ' || d.${no} || ': ${amount} is ' || d.${amount} || ', its lines add up to ' || sum_of_few(x.${column})`
  return {
    check: `${amount} of a ${called(table)} is not the sum of its lines`,
    entities,
    query: (isLoaded) => sql`
      select ${raw(text)}
        from ${raw(table)} d join ${raw(table)}_line x on ${raw(key.map((name) => `x.${name} = d.${name}`).join(' and '))}
       where ${isLoaded(no)} group by d.${raw(no)}, d.${raw(amount)} having d.${raw(amount)} <> sum_of_few(x.${raw(column)})
       order by d.${raw(no)}`,
  }
}

/** What the total of an order is made of. */
export const ORDER_PARTS = ['taxable_amt', 'tax_amt', 'shipping_amt', 'adjustment_amt']
