/** Sources to pull from: a database of another program with one table per import file, and a connector for it. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import Database from 'libsql'
import { onTestFinished } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { entities } from '../../src/import/entities.js'
import type { Entity } from '../../src/import/entity.js'
import { makeTarget } from './database.js'
import { tempFolder } from './files.js'
import { good } from './good-files.js'
import type { Mariadb } from './mariadb.js'

export interface Foreign {
  readonly url: string
  /** The path of a connector for the source. */
  readonly connector: string
  /** Runs statements of the other program. */
  run(statements: string): Promise<void>
}

type Dialect = 'postgres' | 'sqlite' | 'mysql'

/** Column types as other programs use them: decimals with twelve digits, times with microseconds. */
const TYPES: Record<Dialect, Record<string, string>> = {
  postgres: {
    ...{ numeric: 'numeric(31,12)', integer: 'bigint', date: 'timestamp(6)', 'timestamp(0)': 'timestamp(6)' },
    ...{ 'time(0)': 'time(6)', boolean: 'boolean' },
  },
  sqlite: { numeric: 'real', integer: 'integer', boolean: 'integer' },
  mysql: {
    ...{ numeric: 'decimal(31,12)', integer: 'bigint', date: 'datetime(6)', 'timestamp(0)': 'datetime(6)' },
    ...{ 'time(0)': 'time(6)', boolean: 'tinyint(1)' },
  },
}

const literal = (cell: string, type: string, dialect: Dialect) =>
  dialect !== 'postgres' && type === 'boolean' ? String(Number(cell === 'true')) : `'${cell.replaceAll("'", "''")}'`

/** Some entities have no file in `good`. */
const shop: readonly Entity[] = entities.filter(({ name }) => good[`${name}.csv`] !== undefined)

/** The tables of `good`, each as `its_<entity>`. */
function tablesOf(dialect: Dialect): string {
  return shop
    .map(({ name, columns }) => {
      const [header = [], ...rows] = parse(good[`${name}.csv`] as string) as string[][]
      const typeOf = (column: string) => columns[column]?.sqlType ?? ''
      const fields = header.map(
        (column) =>
          `${dialect === 'mysql' ? `\`${column}\`` : `"${column}"`} ${TYPES[dialect][typeOf(column)] ?? 'text'}`,
      )
      const values = rows.map(
        (row) =>
          `(${row.map((cell, i) => (cell === '' ? 'null' : literal(cell, typeOf(header[i] as string), dialect))).join(', ')})`,
      )
      return `create table its_${name} (${fields.join(', ')}); insert into its_${name} values ${values.join(', ')};`
    })
    .join('\n')
}

/** Queries for all of these tables, some replaced by others. */
export function writeConnector(dialect: Dialect, queries: Record<string, string> = {}, name = 'shop'): string {
  const folder = join(tempFolder(), name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'connector.json'), JSON.stringify({ about: 'A shop', tried: 'Here', dialect }))
  for (const { name } of shop)
    writeFileSync(
      join(folder, `${name}.sql`),
      queries[name] ?? `-- The other program's ${name}.\nselect * from its_${name};\n`,
    )
  return folder
}

export async function foreignPostgres(queries?: Record<string, string>): Promise<Foreign> {
  const { target, drop } = await makeTarget('empty', 'server')
  if (!('url' in target)) throw new Error('not a server')
  const database = await connect(target)
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  const run = async (statements: string) => void (await database.db.unsafe(statements))
  await run(tablesOf('postgres'))
  return { url: target.url, connector: writeConnector('postgres', queries), run }
}

export async function foreignSqlite(queries?: Record<string, string>): Promise<Foreign> {
  const file = join(tempFolder(), 'shop.db')
  const database = new Database(file)
  onTestFinished(() => void database.close())
  const run = async (statements: string) => void database.exec(statements)
  await run(`pragma journal_mode = wal; ${tablesOf('sqlite')}`)
  return { url: `sqlite:${file}`, connector: writeConnector('sqlite', queries), run }
}

/** On a server that the test file has started. */
export async function foreignMariadb(server: Mariadb, queries?: Record<string, string>): Promise<Foreign> {
  const name = `shop_${randomBytes(4).toString('hex')}`
  await server.run('mysql', `create database ${name} character set utf8mb4`)
  const run = async (statements: string) => void (await server.run(name, statements))
  await run(tablesOf('mysql'))
  return { url: server.url(name), connector: writeConnector('mysql', queries), run }
}
