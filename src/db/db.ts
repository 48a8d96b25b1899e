/** The database as the program sees it: statements with bound values, and transactions. */
import type { QueryResult } from 'pg'
import type { Client } from './client.js'
import type { Lease } from './pool.js'
import { type Sql, sql, type Value } from './sql.js'

export type Row = Record<string, unknown>

/** The rows of a statement, with the number of rows that it returned or changed. */
export type Rows<R extends readonly object[]> = R & { readonly count: number }

/** Runs statements: each on any connection, or all of them in one transaction. */
export interface Queryable {
  /** Runs a template: nested `sql` parts are spliced in, all other values are bound. */
  <R extends readonly object[] = Row[]>(
    parts: TemplateStringsArray,
    ...values: readonly (Value | Sql)[]
  ): Promise<Rows<R>>
  /** Runs text with $1, $2 …; without values it may hold several statements. The text must not contain user input. */
  unsafe<R extends readonly object[] = Row[]>(text: string, values?: readonly Value[]): Promise<Rows<R>>
  /** Leases the connection, for COPY and cursors. The transaction's next statement waits until it is released. */
  lease(): Promise<Lease>
}

/** A transaction. Every statement fails after a failed statement, after the end, and after the connection was lost. */
export interface Tx extends Queryable {
  /** Rolls back only this work if it throws. */
  savepoint<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

export interface Db extends Queryable {
  /** Commits after the work, or rolls back if it throws. */
  begin<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  begin<T>(characteristics: string, work: (tx: Tx) => Promise<T>): Promise<T>
}

export const makeDb = (lease: () => Promise<Lease>): Db =>
  Object.assign(makeQueryable(lease), {
    async begin<T>(...args: [(tx: Tx) => Promise<T>] | [string, (tx: Tx) => Promise<T>]): Promise<T> {
      const [characteristics, work] = args.length === 1 ? ['', args[0]] : args
      const { client, release } = await lease()
      try {
        return await transaction(client, characteristics, work)
      } finally {
        release()
      }
    },
  })

/** Runs all statements on one connection, in order. */
export const onConnection = (client: Client): Queryable => makeQueryable(turns(client).lease)

function makeQueryable(lease: () => Promise<Lease>): Queryable {
  const use = async <R extends readonly object[]>(run: (client: Client) => Promise<QueryResult>): Promise<Rows<R>> => {
    const { client, release } = await lease()
    try {
      const { rows, rowCount } = await run(client)
      // Not enumerable: two results with equal rows are equal.
      return Object.defineProperty(rows as unknown as Rows<R>, 'count', { value: rowCount ?? 0 })
    } finally {
      release()
    }
  }
  const tag = <R extends readonly object[]>(parts: TemplateStringsArray, ...inserts: readonly (Value | Sql)[]) => {
    const statement = sql(parts, ...inserts)
    return use<R>((client) => client.runPrepared(statement))
  }
  const unsafe = <R extends readonly object[]>(text: string, values?: readonly Value[]) =>
    use<R>((client) => client.run(text, values))
  return Object.assign(tag, { unsafe, lease })
}

async function transaction<T>(client: Client, characteristics: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { lease, last } = turns(client)
  let savepoints = 0
  const tx: Tx = Object.assign(makeQueryable(lease), {
    async savepoint<S>(inner: (tx: Tx) => Promise<S>): Promise<S> {
      const name = `s${++savepoints}`
      await tx.unsafe(`savepoint ${name}`)
      try {
        const result = await inner(tx)
        await tx.unsafe(`release savepoint ${name}`)
        return result
      } catch (error) {
        // If this rollback fails, so does every later statement; the first error says more.
        await tx.unsafe(`rollback to savepoint ${name}; release savepoint ${name}`).catch(() => {})
        throw error
      }
    },
  })
  await client.run(`begin ${characteristics}`)
  try {
    const result = await work(tx)
    await last()
    const { command } = await client.run('commit')
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back, because a statement in it had failed')
    return result
  } catch (error) {
    await last()
    await client.run('rollback').catch(() => client.destroy())
    throw error
  }
}

/** Leases a connection to one statement at a time, first come, first served. */
function turns(client: Client): { lease(): Promise<Lease>; last(): Promise<void> } {
  let before: Promise<void> = Promise.resolve()
  let over = false
  return {
    async lease() {
      if (over)
        throw new Error('the transaction is over and takes no more statements; await every statement inside begin()')
      const turn = before
      let release = () => {}
      before = new Promise((resolve) => {
        release = resolve
      })
      await turn
      return { client, release }
    },
    /** Refuses new statements and waits for the running ones. */
    async last() {
      over = true
      await before
    },
  }
}
