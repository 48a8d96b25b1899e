/**
 * Converts documents in other currencies and units, and distributes taxes over their lines: after the merge, for the documents
 * that a load touches (docs/decisions/0029).
 */

import { query } from '../../db/query.js'
import { identifier, join, literal, quotient, raw, type Sql, sql } from '../../db/sql.js'
import type { Transaction } from '../../ledger/write.js'
import { isRefusedRow } from '../../sqlstate.js'
import type { Loading } from '../checks.js'
import { type Conversion, given, type LineTaxes } from '../conversion.js'
import { entities } from '../entities.js'
import { type Entity, storedName } from '../entity.js'
import { convertMovements } from './convert-movements.js'
import type { Problems } from './problems.js'

/**
 * Converts the documents that the load touched, and its movements. Resolves to the number of other movements that changed, because
 * a unit of their item did.
 */
export async function convertAll(tx: Transaction, loading: Loading, problems: Problems): Promise<number> {
  let others = 0
  for (const entity of entities) {
    const { conversion } = entity
    if (conversion === undefined) continue
    const touching = Object.keys(conversion.touched).filter((name) => loading.loaded.has(name))
    if (touching.length === 0) continue
    // The merge does not record which rows --replace removed. Of a removed movement nothing remains to be converted.
    const isAll = !entity.ledger && touching.some((name) => loading.replaced.has(name))
    const touched = touching.map((name) => conversion.touched[name] as Sql)
    const union = join(touched, ' union all ')
    const statement = convertStatement(entity, conversion, isAll ? undefined : union)
    try {
      if (!entity.ledger) await tx.savepoint((inner) => query(inner, statement))
      // Most loads bring no movement in another unit: they need not look for one among all stored movements.
      else if ((await query(tx, sql`select from (${union}) t limit 1`)).length > 0)
        others = await tx.savepoint((inner) => convertMovements(inner, statement, loading))
    } catch (error) {
      if (!isRefusedRow(error)) throw error
      const { detail, message } = error as { detail?: string; message: string }
      const about = `a row is not valid after its conversion to the account's currency and the item's stock unit: ${detail ?? message}`
      problems.add({ file: entity.name, line: 1, column: '', value: null, message: about, noRow: true })
    }
  }
  return others
}

const list = (names: readonly string[], of: (name: string) => Sql): Sql => join(names.map(of), ', ')
const own = (name: string) => identifier(name)
/** A value as the document states it, in the statements below. */
const g = (name: string) => identifier(`g_${name}`)

/** The converted running sum up to a row, less the one before it: the rows add up to the converted total. */
const cumulated = (amount: Sql, rate: Sql, window: string): Sql => {
  const upTo = sql`sum(${amount}) over ${raw(window)}`
  return sql`round(${upTo} * ${rate}, 2) - round((${upTo} - ${amount}) * ${rate}, 2)`
}

/**
 * The share of `amount` for a row with the weight `of`; `upTo` is the running sum of weights, `whole` their total. If the total
 * is 0, the first row gets the whole amount.
 */
const share = (amount: Sql, of: Sql, upTo: Sql, whole: Sql, nth: Sql): Sql => sql`
  case when ${whole} <> 0 then round(${quotient(sql`${amount} * ${upTo}`, whole)}, 2)
                             - round(${quotient(sql`${amount} * (${upTo} - ${of})`, whole)}, 2)
       when ${nth} = 1 then ${amount} else 0 end`

/** Whether the tax row `x` is on the line `l`. */
const isOnLine = raw('x.line_no in (0, l.line_no)')

/** The part of a document's tax row `x` on the lines up to this one; `ofNothing` if the amounts of all lines add up to 0. */
const due = (upTo: Sql, ofNothing: Sql): Sql =>
  sql`case when l.whole <> 0 then round(${quotient(sql`x.amount * ${upTo}`, raw('l.whole'))}, 2) else ${ofNothing} end`

/** Converts all documents again. */
export async function reconvertAll(tx: Transaction): Promise<void> {
  for (const entity of entities)
    if (entity.conversion) await query(tx, convertStatement(entity, entity.conversion, undefined))
}

/** Stored rows that differ from the conversion of their documents, as texts. */
export const allUnconverted = entities.flatMap((entity) => {
  if (entity.conversion === undefined) return []
  const { steps, rows, differ } = conversionOf(entity, entity.conversion, undefined)
  const key = list((!entity.ledger && entity.tableKey) || entity.key, (name) => sql`t.${own(name)}`)
  return {
    check: `${entity.name} differ from their documents after conversion (currency, unit, taxes)`,
    wrong: sql`${steps} select concat_ws(' ', ${key}) from ${identifier(entity.table)} t, (${rows}) n where ${differ}`,
  }
})

function convertStatement(entity: Entity, conversion: Conversion, touched: Sql | undefined): Sql {
  const { steps, set, rows, differ } = conversionOf(entity, conversion, touched)
  return sql`
    ${steps} update ${identifier(entity.table)} t set (${list(set, own)}) = row(${list(set, (name) => sql`n.${own(name)}`)})
      from (${rows}) n where ${differ}`
}

/** The converted `rows` of an entity with the columns `set`; `differ` is true of a stored row `t` that differs from them. */
function conversionOf(entity: Entity, conversion: Conversion, touched: Sql | undefined) {
  const { document, joins = raw(''), exchangeRate, item, taxes, needs, atLeast = {} } = conversion
  const table = identifier(entity.table)
  const key = entity.tableKey ?? entity.key
  const measured = Object.entries(entity.columns).flatMap(([name, column]) =>
    column.measure === undefined ? [] : [{ name: storedName(name, column), measure: column.measure }],
  )
  const names = measured.map(({ name }) => name)
  const of = (alias: string) => list(document, (name) => raw(`${alias}.${name}`))
  const unit = item === undefined ? raw('') : sql`left join item_unit u on u.item_id = ${item} and u.unit = t.unit`
  const base = sql`
    select ${list(key, (name) => sql`t.${own(name)}`)}, ${list(names, (name) => sql`${raw(given('t', name))} as ${g(name)}`)},
           ${exchangeRate === undefined ? raw('1::numeric') : sql`coalesce(${exchangeRate}, 1)`} as x,
           ${item === undefined ? raw('1::numeric as factor, 1::numeric as divisor') : raw('coalesce(u.factor, 1) as factor, coalesce(u.divisor, 1) as divisor')}
           ${taxes?.ofDocument === undefined ? raw('') : sql`, ${taxes.ofDocument} as of_document`}
      from ${table} t
      join need on (${of('need')}) = (${of('t')})
      ${joins} ${unit}`
  const value = (name: string, measure: (typeof measured)[number]['measure']): Sql => {
    const amount = sql`b.${g(name)}`
    if (measure === 'amount') return cumulated(amount, raw('b.x'), 'w')
    if (measure === 'price') return sql`round(${quotient(sql`${amount} * b.x * b.divisor`, raw('b.factor'))}, 6)`
    return sql`round(${quotient(sql`${amount} * b.factor`, raw('b.divisor'))}, 4)`
  }
  const converted = ({ name, measure }: (typeof measured)[number]): Sql => {
    const parts = (atLeast[name] ?? []).map((part) => value(part, measure))
    return parts.length === 0 ? value(name, measure) : sql`greatest(${value(name, measure)}, ${join(parts, ' + ')})`
  }
  const told = measured.map(({ name }) => name).filter((name) => entity.columns[name]?.workedOut)
  const isAsGiven = join(
    [raw('b.x = 1 and b.factor = b.divisor'), ...told.map((name) => sql`b.${identifier(`was_${name}`)} is not null`)],
    ' and ',
  )
  const set = [...names, 'given', ...(taxes ? ['taxes'] : [])]
  const steps = sql`
    with need as materialized (
      select distinct ${list(document, own)} from (${needs}) n
      ${touched === undefined ? raw('') : sql`where (${list(document, own)}) in (${touched})`}),
    base as (${base}),
    ${taxes ? taxSteps(taxes, document, key, names, told) : sql`b as (select * from base)`}`
  const rows = sql`
            select ${list(key, (name) => sql`b.${own(name)}`)},
                   ${join(
                     measured.map((column) => sql`${converted(column)} as ${own(column.name)}`),
                     ', ',
                   )},
                   case when ${isAsGiven} then null
                        else jsonb_build_object(${list(names, (name) => sql`${literal(name)}, b.${told.includes(name) ? identifier(`was_${name}`) : g(name)}`)}) end as given
                   ${raw(taxes ? ', b.taxes' : '')}
              from b window w as (partition by ${list(document, (name) => raw(`b.${name}`))} order by ${list(key, (name) => sql`b.${own(name)}`)})`
  const differ = sql`${join(
    key.map((name) => sql`t.${own(name)} = n.${own(name)}`),
    ' and ',
  )}
       and (${list(set, (name) => sql`t.${own(name)}`)}) is distinct from (${list(set, (name) => sql`n.${own(name)}`)})`
  return { steps, set, rows, differ }
}

/** `b`: the lines with their taxes, in the document's currency. A tax or total that the file leaves empty is computed; `was_…` keeps the file's value. */
function taxSteps(
  { table, taxable, total, tax, ofDocument }: LineTaxes,
  document: readonly string[],
  key: readonly string[],
  names: readonly string[],
  told: readonly string[],
): Sql {
  const perDocument = (alias: string) => raw(`partition by ${document.map((name) => `${alias}.${name}`).join(', ')}`)
  const inOrder = (alias: string) => raw(`order by ${key.map((name) => `${alias}."${name}"`).join(', ')}`)
  const same = (a: string, b: string, columns: readonly string[]) =>
    raw(columns.map((name) => `${a}."${name}" = ${b}."${name}"`).join(' and '))
  // A single tax column has all tax of its line; several columns have one tax each, and tax rows add others.
  const stated =
    typeof tax === 'string'
      ? sql`l.${g(tax)}`
      : sql`case when ${join(
          tax.map((name) => sql`l.${g(name)} is not null`),
          ' or ',
        )} or r.amount is not null then ${join(
          tax.map((name) => sql`coalesce(l.${g(name)}, 0)`),
          ' + ',
        )} + coalesce(r.amount, 0) end`
  // Tax rows belong to a column if their name in capitals is that of the column.
  const capitals = typeof tax === 'string' ? [] : tax.map((name) => literal(name.replace('_amt', '').toUpperCase()))
  const name =
    capitals.length === 0
      ? raw('x.name')
      : sql`case when upper(x.name) in (${join(capitals, ', ')}) then upper(x.name) else x.name end`
  // A total equal to the amount does not mean that there is no tax: many programs write net totals.
  const known = sql`coalesce(${stated}${raw(typeof tax === 'string' ? ', r.amount' : '')}, nullif(l.${g(total)} - l.${g(taxable)}, 0))`
  const rest = names.filter((name) => !told.includes(name))
  const keys = (alias: string) => list(key, (name) => sql`${raw(alias)}.${own(name)}`)
  return sql`
    l as (
      select base.*, sum(${g(taxable)}) over w as upto, sum(${g(taxable)}) over (${perDocument('base')}) as whole,
             row_number() over w as nth
        from base window w as (${perDocument('base')} ${inOrder('base')})),
    known as (
      select l.*, r.taxes, ${known} as known
        from l
        left join lateral (
          select sum(e.upto - e.before) as amount,
                 jsonb_agg(jsonb_build_object('name', e.name, 'rate', e.rate,
                                              'amount', round(e.upto * l.x, 2) - round(e.before * l.x, 2)) order by e.name) as taxes
            from (select ${name} as name, max(x.rate) filter (where ${isOnLine}) as rate,
                         sum(case when x.line_no > 0 then case when x.line_no <= l.line_no then x.amount else 0 end
                                  else ${due(sql`l.upto`, sql`x.amount`)} end) as upto,
                         sum(case when x.line_no > 0 then case when x.line_no < l.line_no then x.amount else 0 end
                                  else ${due(sql`(l.upto - l.${g(taxable)})`, sql`case when l.nth = 1 then 0 else x.amount end`)} end) as before
                    from ${identifier(table)} x where ${same('x', 'l', document)}
                   group by 1 having bool_or(${isOnLine})) e) r on true),
    untold as (
      select k.*, sum(k.${g(taxable)}) filter (where k.known is null) over w as untold_upto,
             sum(k.${g(taxable)}) filter (where k.known is null) over d as untold,
             count(*) filter (where k.known is null) over w as untold_nth,
             bool_or(k.taxes is not null) over d as has_rows, coalesce(sum(k.known) over d, 0) as all_known
        from known k window w as (${perDocument('k')} ${inOrder('k')}), d as (${perDocument('k')})),
    worked_out as (
      select u.*, coalesce(u.known, ${
        ofDocument === undefined
          ? raw('0')
          : sql`case when u.has_rows then 0
                     else ${share(raw('(u.of_document - u.all_known)'), sql`u.${g(taxable)}`, raw('u.untold_upto'), raw('u.untold'), raw('u.untold_nth'))} end`
      }) as tax
        from untold u),
    b as (
      select ${keys('o')}, o.x, o.factor, o.divisor, o.taxes, ${list(rest, (name) => sql`o.${g(name)}`)}${join(
        told.map(
          (name) => sql`, o.${g(name)} as ${identifier(`was_${name}`)},
                        ${name === total ? sql`coalesce(o.${g(name)}, o.${g(taxable)} + o.tax)` : raw('o.tax')} as ${g(name)}`,
        ),
        '',
      )}
        from worked_out o)`
}
