/** Values that the program computes from rows of the same transaction (docs/decisions/0047). */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queryable } from './db.js'
import { Computed, identifier, join, type Read, type ReadRow, Sql, sql } from './sql.js'
import { streamTexts } from './texts.js'

/** A computation ends its turn after this time, so that requests are served beside it. */
const TURN_MS = 10

/** The same statement with its computed values bound. `tx` is the transaction in which it will run. */
export async function withComputed(tx: Queryable, statement: Sql, signal?: AbortSignal): Promise<Sql> {
  const known = new Map<Computed, string>()
  for (const value of computedIn(statement)) {
    const rows: Record<string, readonly ReadRow[]> = {}
    for (const [name, read] of Object.entries(value.reads)) rows[name] = await readRows(tx, read, signal)
    const ask = (name: string, keys: readonly object[]) =>
      readRows(tx, (value.asks[name] as Computed['asks'][string])(keys), signal)
    known.set(value, JSON.stringify(await value.compute(rows, signal, ask)))
  }
  return bind(statement, (value) => known.get(value) as string)
}

/** For a planner: the statement with no rows in place of computed values, and the statements that these are computed from. */
export const statementsOf = (statement: Sql): readonly Sql[] => [
  bind(statement, () => '[]'),
  ...computedIn(statement).flatMap((value) => readsOf(value).map(rowsAsJson)),
]

/** The values as data that differ if anything of a computation differs, apart from its code. */
export const comparableValues = ({ values }: Sql): unknown[] =>
  values.map((value) =>
    value instanceof Computed
      ? [value.name, value.given, ...readsOf(value).map(({ query: { text, values } }) => [text, values])]
      : value,
  )

/** To be awaited inside the loop of a long computation: lets other work run, and throws if the signal has aborted. */
export function turns(signal: AbortSignal | undefined): () => Promise<void> | undefined {
  let end = performance.now() + TURN_MS
  return () => {
    if (performance.now() < end) return undefined
    return nextTurn().then(() => {
      signal?.throwIfAborted()
      end = performance.now() + TURN_MS
    })
  }
}

/** Everything that a computation reads; what it asks for without keys. */
const readsOf = ({ reads, asks }: Computed): Read[] => [
  ...Object.values(reads),
  ...Object.values(asks).map((ask) => ask([])),
]

const computedIn = ({ values }: Sql): Computed[] => [...new Set(values.filter((value) => value instanceof Computed))]

const bind = ({ strings, values }: Sql, text: (value: Computed) => string): Sql =>
  new Sql(
    strings,
    values.map((value) => (value instanceof Computed ? text(value) : value)),
  )

/** Not as objects: shards of a cluster do not know the names of a subquery's columns. */
const rowsAsJson = ({ columns, query }: Read): Sql => {
  const texts = join(
    columns.map((column) => sql`r.${identifier(column)}::text`),
    ', ',
  )
  return sql`select json_build_array(${texts})::text as row from (${query}) r`
}

async function readRows(tx: Queryable, read: Read, signal: AbortSignal | undefined): Promise<ReadRow[]> {
  const pieces: Buffer[] = []
  for await (const { bytes } of streamTexts(tx, rowsAsJson(read), signal)) pieces.push(bytes)
  const rows = JSON.parse(`[${Buffer.concat(pieces)}]`) as (string | null)[][]
  return rows.map((row) => Object.fromEntries(read.columns.map((column, i) => [column, row[i] as string | null])))
}
