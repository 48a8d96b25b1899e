/** The database as the program sees it: statements with bound values, and transactions. */
import type { QueryResult } from 'pg'
import type { Client } from './client.js'
import type { Lease } from './pool.js'
import { type Sql, sql, type Value } from './sql.js'

export type Row = Record<string, unknown>

/** The rows of a statement, and how many it has read or changed. */
export type Rows<R extends readonly object[]> = R & { readonly count: number }

/** Runs statements: each on a connection of its own, or all of them in one transaction. */
export interface Queryable {
  /** A statement as a template; what is put into it is bound, except for parts that are SQL. */
  <R extends readonly object[] = Row[]>(
    parts: TemplateStringsArray,
    ...values: readonly (Value | Sql)[]
  ): Promise<Rows<R>>
  /** A statement as text with $1, $2 …; without values also several. Never with anything in it that a caller sent. */
  unsafe<R extends readonly object[] = Row[]>(text: string, values?: readonly Value[]): Promise<Rows<R>>
  /** The connection itself, for COPY and cursors. A transaction's next statement waits until it is released. */
  lease(): Promise<Lease>
}

/** A transaction. After a failed statement only its rollback works; when it is over, or its connection lost, nothing. */
export interface Tx extends Queryable {
  /** Work that can be undone without the rest of the transaction: it is when it throws. */
  savepoint<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

export interface Db extends Queryable {
  /** Commits when the work is done, and rolls back when it throws. */
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

/** All statements on one connection, one after another. */
export const onConnection = (client: Client): Queryable => makeQueryable(turns(client).lease)

function makeQueryable(lease: () => Promise<Lease>): Queryable {
  const use = async <R extends readonly object[]>(run: (client: Client) => Promise<QueryResult>): Promise<Rows<R>> => {
    const { client, release } = await lease()
    try {
      const { rows, rowCount } = await run(client)
      // Not enumerable: rows are compared and spread as the array that they are.
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
        // Where this fails, so does every statement after it: the error that tells more is thrown.
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

/** Hands a connection to one statement at a time, in the order in which they come. */
function turns(client: Client): { lease(): Promise<Lease>; last(): Promise<void> } {
  let before: Promise<void> = Promise.resolve()
  let over = false
  return {
    async lease() {
      if (over) throw new Error('the transaction is over: it takes no more statements')
      const turn = before
      let release = () => {}
      before = new Promise((resolve) => {
        release = resolve
      })
      await turn
      return { client, release }
    },
    /** Returns when all statements are done, and lets no other one in. */
    async last() {
      over = true
      await before
    },
  }
}
