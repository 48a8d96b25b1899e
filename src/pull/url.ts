/** Opens a source by its URL, and keeps the password of the URL out of every message. */
import { MillbookError } from '../errors.js'
import { type Dialect, type PullSource, SourceError } from './source.js'
import { openMysql } from './sources/mysql.js'
import { openPostgres } from './sources/postgres.js'
import { openSqlite, sqliteFile } from './sources/sqlite.js'
import { openSqlServer } from './sources/sqlserver.js'

/** The names that connectors use for the dialect of their queries. */
export const dialects = {
  postgres: { schemes: ['postgres:', 'postgresql:'], open: openPostgres },
  mysql: { schemes: ['mysql:', 'mariadb:'], open: openMysql },
  sqlite: { schemes: ['sqlite:'], open: openSqlite },
  sqlserver: { schemes: ['sqlserver:', 'mssql:'], open: openSqlServer },
} as const satisfies Record<Dialect, { schemes: readonly string[]; open: (url: string) => Promise<PullSource> }>

export const FORMS =
  'postgres://user:password@host/name, mysql://user:password@host/name, sqlite:FILE or sqlserver://user:password@host/name'

/** Throws a usage error that does not show the URL. */
export function dialectOf(url: string): Dialect {
  const found = (Object.keys(dialects) as Dialect[]).find((name) =>
    dialects[name].schemes.some((scheme) => url.startsWith(scheme)),
  )
  if (found === undefined || (found !== 'sqlite' && !URL.canParse(url)))
    throw new MillbookError(`the source is not of the form ${FORMS}`)
  return found
}

const PRODUCTS: Readonly<Record<Dialect, string>> = {
  postgres: 'PostgreSQL database',
  mysql: 'MySQL or MariaDB database',
  sqlite: 'SQLite file',
  sqlserver: 'SQL Server database',
}

/** The name of a source in messages, without user and password. */
export function describeUrl(url: string): string {
  const dialect = dialectOf(url)
  if (dialect === 'sqlite') return `${PRODUCTS.sqlite} ${sqliteFile(url)}`
  const { host, pathname } = new URL(url)
  return `${PRODUCTS[dialect]} ${decoded(pathname.slice(1))} on ${decoded(host) || 'this machine'}`
}

export async function openSource(url: string): Promise<PullSource> {
  const { open } = dialects[dialectOf(url)]
  const source = await open(url).catch((error) => {
    throw unreadable(url, `the source (${describeUrl(url)}) cannot be opened`, error)
  })
  const failed = (error: unknown) => unreadable(url, `the source (${describeUrl(url)}) cannot be read`, error)
  return {
    ...source,
    query: async (text) => {
      const { columns, batches } = await source.query(text).catch((error) => {
        throw isRefusal(error)
          ? unreadable(url, `the source (${describeUrl(url)}) refuses the query`, error)
          : failed(error)
      })
      return { columns, batches: withErrors(batches, failed) }
    },
  }
}

/** Whether the source refuses the query: PostgreSQL says so by the class of the error, MySQL by its state, SQLite by its code. */
const isRefusal = (error: { code?: unknown; sqlState?: unknown }): boolean =>
  [error.code, error.sqlState].some((code) => typeof code === 'string' && /^(42|SQLITE_ERROR)/.test(code))

async function* withErrors<T>(batches: AsyncIterable<T>, failed: (error: unknown) => Error): AsyncGenerator<T> {
  const iterator = batches[Symbol.asyncIterator]()
  try {
    while (true) {
      const next = await iterator.next().catch((error) => {
        throw failed(error)
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}

function unreadable(url: string, what: string, error: unknown): SourceError {
  const { message, code } = error as { message?: string; code?: string }
  const lacksTable =
    /^(42P01|ER_NO_SUCH_TABLE)$/.test(code ?? '') || /no such table|invalid object name/i.test(message ?? '')
  return new SourceError(withoutPassword(`${what}: ${message || code || String(error)}`, url), lacksTable)
}

/** Drivers may repeat the URL in their errors. A short password inside a longer word is left: it is part of the word. */
function withoutPassword(text: string, url: string): string {
  const [, written = ''] = /^\w+:\/\/[^:@/]*:([^@/]*)@/.exec(url) ?? []
  if (written === '') return text
  const hide = (shown: string, secret: string) => {
    const pattern = secret.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    return shown.replace(
      new RegExp(secret.length < 6 ? `(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])` : pattern, 'gu'),
      '***',
    )
  }
  return hide(hide(text.replaceAll(url, 'the URL'), written), decoded(written))
}

/** Decodes percent signs; returns the text unchanged if they encode nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
