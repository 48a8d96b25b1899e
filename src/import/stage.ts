/** Puts rows into staging tables, after every cell has been read as its column's type. */
import type { Db } from '../db/connect.js'
import { copyLine, copyRows, copyText } from '../db/copy.js'
import { insertRows } from '../db/insert.js'
import { identifier } from '../db/sql.js'
import { nearest } from '../nearest.js'
import { type Cell, type Column, cellText } from './columns.js'
import { type Entity, storedName } from './entity.js'
import type { Problems } from './problems.js'
import type { Part, Rows } from './source.js'

/** Sent to the database at a time: enough to be fast, little enough for bounded memory, whatever is read at once. */
const BYTES_AT_A_TIME = 2 << 20

/** Up to this many are inserted, more are copied. */
const FEW_ROWS = 500

const UNREAD = Symbol('unread')

export const stagingTable = (entity: Entity): string => `millbook_staging.${identifier(entity.name).text}`

/**
 * The rows wait here until all of them are known to be right. Whatever an interrupted load left is removed. The columns have
 * the types of the table's: what these ask of a value is looked at while the next rows are read, and not in the merge.
 */
export async function prepareStaging(db: Db, entities: readonly Entity[]): Promise<void> {
  await emptyStaging(db)
  for (const entity of entities) {
    const columns = Object.entries(entity.columns).map(([name, column]) => {
      const value =
        column.lookup === undefined ? `t.${identifier(storedName(name, column)).text}` : `null::${column.sqlType}`
      return `${value} as ${identifier(name).text}`
    })
    await db.unsafe(
      `create unlogged table ${stagingTable(entity)} as
       select null::bigint as line, ${columns.join(', ')} from ${identifier(entity.table).text} t where false`,
    )
  }
}

/** By a function of the owner's: another role may have loaded last, and its tables are its own. */
export const emptyStaging = (db: Db) => db`select empty_staging()`

/**
 * The planner has to know how much there is in a table of the schema, and little else: a sample of a tenth takes a tenth of
 * the time.
 */
export const analyzeRoughly = (table: string): string =>
  `set local default_statistics_target = 10; analyze ${table}; set local default_statistics_target to default`

export interface Stager {
  /** Checks the names of columns that stand once for all rows. */
  header(names: readonly string[]): void
  add(rows: Rows): Promise<void>
  /** Sends what is left. */
  end(): Promise<Staged>
}

export interface Staged {
  readonly rows: number
  /** Each row's key is greater than the one before it, so none is there twice; that is how most programs write them. */
  readonly ascending: boolean
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
  const key = entity.key.map((name) => names.indexOf(name))
  let lastKey = ''
  let ascending = true
  /** A row as it is stored and as COPY takes it. */
  const row = new Array<string | null>(names.length).fill(null)
  const copied = row.map(copyText)
  /** The cells that it was read from: one that is the same in the next row is not read again. */
  const above = new Array<Cell | typeof UNREAD>(columns.length).fill(UNREAD)
  const complain = (line: number, column: string, value: string | null, message: string) =>
    problems.add({ file, line, column, value, message })

  /**
   * Sends what has been read, and lets the next part be read while the database copies it. Not earlier: a reader that works
   * hands the bytes over in small pieces, between which the embedded engine has nothing to do.
   */
  let sending = Promise.resolve()
  const send = async () => {
    await sending
    if (lines !== undefined) {
      const bytes = lines.subarray(0, used)
      await new Promise<void>((sent) => {
        sending = db.begin((tx) => copyRows(tx, stagingTable(entity), names, bytes, sent)).then(() => {})
        sending.catch(sent)
      })
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
  const keep = (): boolean => {
    if (lines === undefined && few.length < FEW_ROWS && fewLength < BYTES_AT_A_TIME) {
      few.push([...row])
      for (const cell of row) fewLength += cell?.length ?? 0
      return true
    }
    let text = `${copied.join('\t')}\n`
    if (lines !== undefined && used + 3 * text.length > lines.length) return false
    if (few.length > 0) text = few.map(copyLine).join('') + text
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
      for (const { line, header, cells, wrong } of batch) {
        rows++
        const at = placesFor(header, line)
        row[0] = copied[0] = String(line)
        if (wrong !== undefined) complain(line, '', null, `there are ${wrong} cells than columns`)
        for (let i = 0; i < columns.length; i++) {
          const place = at[i]
          if (place !== undefined && cells[place] === above[i]) continue
          const [name, column] = columns[i] as [string, Column]
          above[i] = UNREAD
          const cell = place === undefined ? null : cellText(cells[place])
          let stored: string | null = column.fallback
          if (cell === undefined) {
            const value = JSON.stringify(cells[place as number], (_, v) => (typeof v === 'bigint' ? String(v) : v))
            const why = typeof cells[place as number] === 'number' ? '; write it as a string to keep it exact' : ''
            complain(line, name, value, `expected ${column.expects}${why}`)
          } else if (cell === null || (cell === '' && (column.required || column.keepsEmpty !== true))) {
            if (!column.required) above[i] = place === undefined ? UNREAD : cells[place]
            else if (!complained.has(name))
              complain(
                line,
                name,
                null,
                `${place === undefined ? 'is missing' : 'is empty'}: expected ${column.expects}`,
              )
          } else {
            const read = column.read(cell)
            if (read === undefined) complain(line, name, cell, `expected ${column.expects}`)
            else {
              stored = read
              above[i] = cells[place as number]
            }
          }
          row[i + 1] = stored
          copied[i + 1] = copyText(stored)
        }
        if (ascending) {
          // Texts that differ are keys that differ: no key has a decimal, which can be written in two ways.
          const thisKey = key.length === 1 ? (row[key[0] as number] ?? '') : key.map((i) => row[i]).join('\0')
          ascending = thisKey > lastKey
          lastKey = thisKey
        }
        // Nothing of a load with a problem is stored; the rest is only looked at.
        if (problems.count > 0 || keep()) continue
        await send()
        keep()
      }
    },
    async end() {
      if (problems.count === 0) await send()
      await sending
      return { rows, ascending }
    },
  }
}

const sameNames = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]))
