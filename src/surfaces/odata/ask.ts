/** Asks the kernel for the records of a table, as `$select`, `$filter` and `$orderby` choose them. The database writes their JSON. */
import { identifier, join, raw, sql } from '../../db/sql.js'
import type { OrderColumn } from '../../kernel/report/order.js'
import type { Params, Values } from '../../kernel/report/params.js'
import { type Report, type Shape, shapeNameFor, withShapes } from '../../kernel/report/report.js'
import { conditionOf, propertyNamed } from './condition.js'
import { property } from './edm.js'
import type { Expression } from './filter.js'
import type { Options } from './options.js'
import type { Table } from './tables.js'
import { wrong } from './tokens.js'

export type Chosen = Pick<Options, 'select' | 'orderby'> & { readonly filters: readonly Expression[] }

/**
 * The report whose records are the JSON of a table. With `exact`, numbers are strings. `isWalk`: the client will ask for all pages. The kernel
 * then computes the whole table at once and keeps it: a page that was computed alone would be the last of its version after a load.
 */
export function reportOf(
  { report, list, flat }: Table,
  values: Values<Params>,
  { select, filters, orderby = [] }: Chosen,
  { exact, isWalk }: { readonly exact: boolean; readonly isWalk: boolean },
): Report {
  const { record } = flat
  const names = select ?? Object.keys(record)
  for (const name of names) propertyNamed(name, record, '$select')
  const conditions = filters.map((filter) => conditionOf(filter, record))
  const sorted = orderby.flatMap(({ name, descending }, i) => sortedBy(name, descending, i, record))
  const fields = Object.fromEntries(
    names.map((name) => [name, property(record[name] as (typeof record)[string], exact)]),
  )
  const { listing, parts, ...plain } = flat
  const isChosen = conditions.length > 0 || sorted.length > 0
  const shape: Shape = isChosen
    ? {
        ...plain,
        record: fields,
        orderBy: [...sorted.map(({ order }) => order), ...flat.orderBy],
        query: (values, view) => {
          const columns = [
            raw('shown.*'),
            ...sorted.map(({ sql: write, order }) => sql`${write(view)} as ${identifier(order.column)}`),
          ]
          const where =
            conditions.length === 0
              ? raw('')
              : sql`where ${join(
                  conditions.map((one) => one(view)),
                  ' and ',
                )}`
          return sql`select ${join(columns, ', ')} from (${flat.query(values, view)}) shown ${where}`
        },
      }
    : { ...plain, record: fields, ...(listing && !isWalk && { listing }), ...(parts && { parts }) }
  const form = JSON.stringify(['odata', list, exact, select, filters, orderby])
  return withShapes({ ...report, form }, new Map([[shapeNameFor(report, values), shape]]))
}

/** OData sorts null before any value, and PostgreSQL after it. */
function sortedBy(name: string, descending: boolean, i: number, record: Table['flat']['record']) {
  const { sql: write, nullable } = propertyNamed(name, record, '$orderby')
  const column = `_by_${i}`
  const last: OrderColumn = { column, descending, ...(descending && { nullsLast: true }) }
  const value = { order: last, sql: write }
  if (!nullable || descending) return [value]
  const first: OrderColumn = { column: `_null_${i}`, descending: false }
  return [{ order: first, sql: (view: Parameters<typeof write>[0]) => sql`(${write(view)} is not null)` }, value]
}

/** The condition that a key is this one: every part of it, by name unless it has only one. */
export function keyFilter(
  { flat: { key }, name }: Table,
  given: readonly { readonly name: string | undefined; readonly value: Expression }[],
): Expression {
  const parts = key.map((part) => {
    const found = given.find((one) => one.name === part || (one.name === undefined && key.length === 1))
    if (found === undefined || given.length !== key.length)
      throw wrong(`The key of ${name} is ${key.map((one) => `${one}=…`).join(', ')}; give each part once.`)
    return { kind: 'compare', by: 'eq', left: { kind: 'property', name: part }, right: found.value } as const
  })
  return parts.length === 1 ? (parts[0] as Expression) : { kind: 'and', all: parts }
}
