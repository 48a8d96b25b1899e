/** Puts rows into staging tables, after every cell has been read as its column's type. */
import type { Db } from '../db/connect.js'
import { copyLine, copyRows } from '../db/copy.js'
import { insertRows } from '../db/insert.js'
import { identifier } from '../db/sql.js'
import { nearest } from '../nearest.js'
import { type Column, cellText } from './columns.js'
import type { Entity } from './entity.js'
import type { Problems } from './problems.js'
import type { Part, Rows } from './source.js'

/** Sent to the database at a time: enough to be fast, little enough for bounded memory, whatever is read at once. */
const BYTES_AT_A_TIME = 2 << 20

/** Up to this many are inserted, more are copied. */
const FEW_ROWS = 500

export const stagingTable = (entity: Entity): string => `millbook_staging.${identifier(entity.name).text}`

/** The rows wait here until all of them are known to be right. Whatever an interrupted load left is removed. */
export async function prepareStaging(db: Db, entities: readonly Entity[]): Promise<void> {
  await emptyStaging(db)
  for (const entity of entities) {
    const columns = Object.entries(entity.columns).map(([name, { sqlType }]) => `${identifier(name).text} ${sqlType}`)
    await db.unsafe(`create unlogged table ${stagingTable(entity)} (line bigint not null, ${columns.join(', ')})`)
  }
}

/** By a function of the owner's: another role may have loaded last, and its tables are its own. */
export const emptyStaging = (db: Db) => db`select empty_staging()`

export interface Stager {
  /** Checks the names of columns that stand once for all rows. */
  header(names: readonly string[]): void
  add(rows: Rows): Promise<void>
  /** Sends what is left, and tells how many rows there were. */
  end(): Promise<number>
}

/** Takes the rows of one part, some at a time; what is wrong with them goes to `problems`. */
export function stagerFor(db: Db, { entity, name: file }: Part, problems: Problems): Stager {
  const columns = Object.entries(entity.columns)
  const names = ['line', ...columns.map(([name]) => name)]
  let places: { header: readonly string[]; of: (number | undefined)[] } | undefined
  const complained = new Set<string>()
  let few: (string | null)[][] = []
  let fewLength = 0
  /** Lines of COPY, once there are more than a few rows: bytes, which the garbage collector does not look into. */
  let lines: Buffer | undefined
  let used = 0
  let rows = 0
  const complain = (line: number, column: string, value: string | null, message: string) =>
    problems.add({ file, line, column, value, message })

  /** Sends what has been read, and lets the next part be read while it is under way. */
  let sending = Promise.resolve()
  const send = async () => {
    await sending
    if (lines !== undefined) {
      const bytes = lines.subarray(0, used)
      sending = db.begin((tx) => copyRows(tx, stagingTable(entity), names, bytes)).then(() => {})
    } else if (few.length > 0) {
      // One statement instead of the conversation that a COPY is.
      const objects = few.map((row) => Object.fromEntries(row.map((cell, i) => [names[i], cell])))
      sending = insertRows(db, `millbook_staging.${entity.name}`, objects)
    }
    sending.catch(() => {}) // told by whoever waits for it
    few = []
    fewLength = 0
    lines = undefined
    used = 0
  }
  /** Keeps a row to be sent, unless there is no room left: then `send` first. */
  const keep = (row: readonly (string | null)[]): boolean => {
    if (lines === undefined && few.length < FEW_ROWS && fewLength < BYTES_AT_A_TIME) {
      few.push([...row])
      for (const cell of row) fewLength += cell?.length ?? 0
      return true
    }
    const text = few.map(copyLine).join('') + copyLine(row)
    if (lines !== undefined && used + 3 * text.length > lines.length) return false
    few = []
    lines ??= Buffer.allocUnsafe(Math.max(BYTES_AT_A_TIME, 3 * text.length))
    used += lines.write(text, used)
    return true
  }

  /** Where each column stands in a row with this header; a wrong header is complained of once. */
  const placesFor = (header: readonly string[], line: number) => {
    if (places !== undefined && sameNames(places.header, header)) return places.of
    for (const name of header) {
      if (name === '' || Object.hasOwn(entity.columns, name) || complained.has(name)) continue
      complained.add(name)
      complain(line, name, null, `there is no such column${nearest(name, names.slice(1))}`)
    }
    places = { header, of: columns.map(([name]) => (header.includes(name) ? header.indexOf(name) : undefined)) }
    return places.of
  }

  return {
    header(header) {
      const at = placesFor(header, 1)
      columns.forEach(([name, { required, expects }], i) => {
        if (!required || at[i] !== undefined) return
        complained.add(name)
        complain(1, name, null, `the column is missing: expected ${expects}`)
      })
    },
    async add(batch) {
      const row = new Array<string | null>(names.length).fill(null)
      for (const { line, header, cells, wrong } of batch) {
        rows++
        const at = placesFor(header, line)
        row[0] = String(line)
        if (wrong !== undefined) complain(line, '', null, `there are ${wrong} cells than columns`)
        for (let i = 0; i < columns.length; i++) {
          const [name, column] = columns[i] as [string, Column]
          const place = at[i]
          const cell = place === undefined ? null : cellText(cells[place])
          let stored: string | null = column.fallback
          if (cell === undefined) {
            const value = JSON.stringify(cells[place as number], (_, v) => (typeof v === 'bigint' ? String(v) : v))
            const why = typeof cells[place as number] === 'number' ? '; write it as a string to keep it exact' : ''
            complain(line, name, value, `expected ${column.expects}${why}`)
          } else if (cell === null || (cell === '' && (column.required || column.keepsEmpty !== true))) {
            if (column.required && !complained.has(name))
              complain(
                line,
                name,
                null,
                `${place === undefined ? 'is missing' : 'is empty'}: expected ${column.expects}`,
              )
          } else {
            const read = column.read(cell)
            if (read === undefined) complain(line, name, cell, `expected ${column.expects}`)
            else stored = read
          }
          row[i + 1] = stored
        }
        // Nothing of a load with a problem is stored; the rest is only looked at.
        if (problems.count > 0 || keep(row)) continue
        await send()
        keep(row)
      }
    },
    async end() {
      if (problems.count === 0) await send()
      await sending
      return rows
    },
  }
}

const sameNames = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]))
