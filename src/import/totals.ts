/** Checks that the totals of documents equal the sums of their parts. */
import { raw, type Sql, sql } from '../db/sql.js'
import type { Doubt } from './checks.js'
import { given } from './conversion.js'

/** A table's name in a sentence, with its article. */
const called = (table: string) => `${/^[aeiou]/.test(table) ? 'an' : 'a'} ${table.replaceAll('_', ' ')}`

/** An amount of a document, as a text with its currency if that is not the account's. */
export const inCurrency = (alias: string, amount: string): Sql =>
  raw(`${given(alias, amount)} || coalesce(' ' || ${alias}.currency, '')`)

/** A document, identified by its number, whose amount differs from the sum of other amounts in the same row `d`. */
export const partsAddUp = (
  entity: string,
  table: string,
  no: string,
  amount: string,
  parts: readonly string[],
): Doubt => {
  // In the document's currency: the parts of a converted document are rounded one by one.
  const whole = given('d', amount)
  const sum = parts.map((part) => given('d', part)).join(' + ')
  return {
    check: `${amount} of ${called(table)} is not the sum of its parts`,
    entities: [entity],
    query: (isLoaded) => sql`
      select ${raw(`'${table} ' || d.${no} || ': ${amount} is '`)} || ${inCurrency('d', amount)}
             || ', its parts add up to ' || (${raw(sum)})
        from ${raw(table)} d where ${raw(whole)} <> ${raw(sum)} and ${isLoaded(no)} order by d.${raw(no)}`,
  }
}

/** A document whose amount differs from a sum over its lines `x`; its number is the last column of its key. */
export const linesAddUp = (
  entities: readonly string[],
  table: string,
  key: readonly string[],
  amount: string,
  ofLine: string,
  only = 'true',
): Doubt => {
  const no = key.at(-1) as string
  const text = `'${table} ' || d.${no} || ': ${amount} is ' || d.${amount} || ', its lines add up to ' || sum_of_few(${ofLine})
                || case when d.currency is null then '' else ' in the account’s currency' end`
  return {
    check: `${amount} of ${called(table)} is not the sum of its lines`,
    entities,
    query: (isLoaded) => sql`
      select ${raw(text)}
        from ${raw(table)} d join ${raw(table)}_line x on ${raw(key.map((name) => `x.${name} = d.${name}`).join(' and '))}
       where ${isLoaded(no)} and ${raw(only)}
       group by d.${raw(no)}, d.${raw(amount)}, d.currency having d.${raw(amount)} <> sum_of_few(${raw(ofLine)})
       order by d.${raw(no)}`,
  }
}

/** More than rounding each line, or only the document, can explain. */
const isBeyondRounding = (difference: string): Sql => raw(`abs(${difference}) > 0.005 * (count(*) + 1)`)

/** An order whose tax differs from the tax of its lines. Orders with shipping are not checked: shipping may be taxed too. */
export const taxesAddUp = (entities: readonly string[], table: string, no: string): Doubt => ({
  check: `tax_amt of ${called(table)} is not the sum of its lines`,
  entities,
  query: (isLoaded) => sql`
    select ${raw(`'${table} ' || d.${no} || ': tax_amt is ' || d.tax_amt || ', its lines add up to ' || sum_of_few(x.tax_amt)`)}
           || case when d.currency is null then '' else ' in the account’s currency' end
      from ${raw(table)} d join ${raw(table)}_line x on x.${raw(no)} = d.${raw(no)}
     where ${isLoaded(no)} and d.shipping_amt = 0
     group by d.${raw(no)}, d.tax_amt, d.currency having ${isBeyondRounding('d.tax_amt - sum_of_few(x.tax_amt)')}
     order by d.${raw(no)}`,
})

/** The tax of a line `d` in the document's currency, as its file or its own tax rows state it. */
const taxOfLine = (table: string, key: readonly string[]): Sql => {
  const rows = `from ${table}_tax w where ${key.map((name) => `w.${name} = d.${name}`).join(' and ')}`
  return raw(`coalesce(${given('d', 'tax_amt')},
    case when d.taxes is not null and not exists (select ${rows} and w.line_no = 0)
         then (select sum(w.amount) ${rows} and w.line_no = d.line_no) end)`)
}

/** A line whose total differs from the sum of its amount and its tax, as its document states them. */
export const lineTotal = (
  entities: readonly string[],
  table: string,
  key: readonly string[],
  { taxable = 'taxable_amt', total = 'total_amt', tax = taxOfLine(table, key) } = {},
): Doubt => {
  const no = key.at(-1) as string
  const whole = given('d', total)
  const sum = sql`(${raw(given('d', taxable))} + ${tax})`
  return {
    check: `${total} of a line of ${called(table)} is not its amount with its tax`,
    entities,
    query: (isLoaded) => sql`
      select ${raw(`'line ' || d.line_no || ' of ${table} ' || d.${no} || ': ${total} is ' || ${whole}`)}
             || ', amount and tax add up to ' || ${sum}
        from ${raw(table)}_line d where ${raw(whole)} <> ${sum} and ${isLoaded(no)} order by d.${raw(no)}, d.line_no`,
  }
}

/** A line whose stated tax differs from the sum of its tax rows. */
export const lineTaxes = (entities: readonly string[], table: string, key: readonly string[]): Doubt => {
  const no = key.at(-1) as string
  const same = (a: string) => raw(key.map((name) => `${a}.${name} = d.${name}`).join(' and '))
  const told = raw(given('l', 'tax_amt'))
  return {
    check: `the tax of a line of ${called(table)} is not the sum of its tax rows`,
    entities,
    query: (isLoaded) => sql`
      select ${raw(`'line ' || d.line_no || ' of ${table} ' || d.${no}`)} || ': tax_amt is ' || ${told}
             || ', its tax rows add up to ' || sum_of_few(d.amount)
        from ${raw(table)}_tax d join ${raw(table)}_line l on ${same('l')} and l.line_no = d.line_no
       where ${isLoaded(no)} and not exists (select from ${raw(table)}_tax w where ${same('w')} and w.line_no = 0)
       group by d.${raw(no)}, d.line_no, ${told} having ${told} <> sum_of_few(d.amount)
       order by d.${raw(no)}, d.line_no`,
  }
}

/** The parts of an order's total. */
export const ORDER_PARTS = ['taxable_amt', 'tax_amt', 'shipping_amt', 'adjustment_amt']
