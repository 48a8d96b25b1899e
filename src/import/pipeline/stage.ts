/** Reads every cell as its column's type and copies the rows into staging tables. */
import { analyzeRoughly } from '../../db/analyze.js'
import type { Db } from '../../db/connect.js'
import { copyLine, copyRows, copyText } from '../../db/copy.js'
import { insertRows } from '../../db/insert.js'
import { identifier } from '../../db/sql.js'
import { nearest } from '../../nearest.js'
import { stagedRows } from '../checks.js'
import { type Cell, type Column, cellText } from '../columns.js'
import { type Entity, storedName } from '../entity.js'
import type { Part, Rows } from '../source.js'
import type { Problems, RowKey } from './problems.js'
import type { Reason, Rejects } from './rejects.js'

/** Sent to the database at a time: enough to be fast, with bounded memory. */
const BYTES_AT_A_TIME = 2 << 20

/** Up to this many rows are inserted by one statement, more are copied: a COPY takes several round trips. */
const FEW_ROWS = 500

const UNREAD = Symbol('unread')

/** Compares texts: 1 if the first comes after the second, 0 if they are equal. */
type Order = (a: string, b: string) => number
const byText: Order = (a, b) => (a > b ? 1 : a < b ? -1 : 0)
/** As numbers count up: MV-9, MV-10. */
const byLength: Order = (a, b) => Math.sign(a.length - b.length) || byText(a, b)
const ORDERS: readonly Order[] = [byText, byLength]

/**
 * Removes the tables of an interrupted load, and creates the staging tables. Their columns have the types of the stored
 * columns: COPY then checks the types while the next rows are read. Autovacuum is off, as it would only repeat `analyzeRoughly`.
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
      `create unlogged table ${stagedRows(entity.name).text} with (autovacuum_enabled = false) as
       select null::bigint as line, ${columns.join(', ')} from ${identifier(entity.table).text} t where false`,
    )
  }
}

/** Through a function of the owner, because another role may own left-over tables. */
export const emptyStaging = (db: Db) => db`select empty_staging()`

export interface Stager {
  /** Checks a header that the file has once for all rows. */
  header(names: readonly string[]): void
  add(rows: Rows): Promise<void>
  /** Sends the last rows, and collects the table's statistics. */
  end(): Promise<Staged>
}

export interface Staged {
  readonly rows: number
  /** Rows that were not staged, because they are stored unchanged. */
  readonly skipped: number
  /** Each row's key comes after the one before it, so no key is repeated. Most programs write files like that. */
  readonly ascending: boolean
}

/**
 * Stages the rows of one part, except rows that `isStored` finds by key and content. Rows with wrong cells are rejected, or
 * else their errors are added to `problems`.
 */
export function stagerFor(
  db: Db,
  part: Part,
  problems: Problems,
  isStored: (key: string, row: string) => boolean,
  rejects?: Rejects,
): Stager {
  const { entity, name: file } = part
  const columns = Object.entries(entity.columns)
  const names = ['line', ...columns.map(([name]) => name)]
  let places: { header: readonly string[]; of: (number | undefined)[] } | undefined
  const reported = new Set<string>()
  let few: (string | null)[][] = []
  let fewLength = 0
  /** Lines of COPY, once there are more than a few rows: as bytes, which the garbage collector does not scan. */
  let lines: Buffer | undefined
  let used = 0
  let rows = 0
  let skipped = 0
  const key = entity.key.map((name) => names.indexOf(name))
  const hashedKey = hashedKeyOf(entity).map((name) => names.indexOf(name))
  let lastKey: string[] | undefined
  let orders = ORDERS
  /** The current row, as stored and as COPY reads it. */
  const row = new Array<string | null>(names.length).fill(null)
  const copied = row.map(copyText)
  /** The current row without its line, as COPY reads it. */
  let content = ''
  /** The cells of the row before: an equal cell is not parsed again. */
  const above = new Array<Cell | typeof UNREAD>(columns.length).fill(UNREAD)
  const reportColumn = (line: number, column: string, message: string) =>
    problems.add({ file, line, column, value: null, message, noRow: true })
  /** The errors of the current row. */
  let wrongCells: Reason[] = []
  const report = (column: string, value: string | null, message: string) => wrongCells.push({ column, value, message })
  /** Rejects the current row, or adds its errors. */
  const refuse = (line: number, cells: readonly Cell[], at: readonly (number | undefined)[]) => {
    const given = (i: number) => givenText(at[i] === undefined ? null : cells[at[i] as number])
    const key: RowKey = Object.fromEntries(entity.key.map((name) => [name, given(names.indexOf(name) - 1)]))
    const row = Object.fromEntries(columns.map(([name], i) => [name, given(i)]))
    if (rejects?.rejects(part)) rejects.add(part, { line, key, row, reasons: wrongCells }, readable(entity, row))
    else for (const cell of wrongCells) problems.add({ file, line, key, ...cell })
    wrongCells = []
  }

  /**
   * Sends the rows as a whole, then lets the caller read on while the database copies them. If sending and reading alternated,
   * the database would get small pieces, and the embedded engine would idle between them.
   */
  let sending = Promise.resolve()
  const send = async () => {
    await sending
    if (lines !== undefined) {
      const bytes = lines.subarray(0, used)
      await new Promise<void>((sent) => {
        sending = copyRows(db, stagedRows(entity.name).text, names, bytes, sent)
        sending.catch(sent)
      })
    } else if (few.length > 0) {
      const objects = few.map((row) => Object.fromEntries(row.map((cell, i) => [names[i], cell])))
      sending = insertRows(db, `millbook_staging.${entity.name}`, objects)
    }
    sending.catch(() => {}) // the next await reports it
    few = []
    fewLength = 0
    lines = undefined
    used = 0
  }
  /** Keeps the current row to be sent; false if there is no room left and `send` has to come first. */
  const keep = (): boolean => {
    if (lines === undefined && few.length < FEW_ROWS && fewLength < BYTES_AT_A_TIME) {
      few.push([...row])
      for (const cell of row) fewLength += cell?.length ?? 0
      return true
    }
    let text = `${copied[0]}\t${content}\n`
    if (lines !== undefined && used + 3 * text.length > lines.length) return false
    if (few.length > 0) text = few.map(copyLine).join('') + text
    few = []
    lines ??= Buffer.allocUnsafe(Math.max(BYTES_AT_A_TIME, 3 * text.length))
    used += lines.write(text, used)
    return true
  }

  /** The position of each column in rows with this header. An unknown column is reported once. */
  const placesFor = (header: readonly string[], line: number) => {
    if (places !== undefined && sameNames(places.header, header)) return places.of
    for (const name of header) {
      if (name === '' || Object.hasOwn(entity.columns, name) || reported.has(name)) continue
      reported.add(name)
      reportColumn(line, name, `there is no such column${nearest(name, names.slice(1))}`)
    }
    places = { header, of: columns.map(([name]) => (header.includes(name) ? header.indexOf(name) : undefined)) }
    return places.of
  }

  return {
    header(header) {
      const at = placesFor(header, 1)
      columns.forEach(([name, { required, expects }], i) => {
        if (!required || at[i] !== undefined) return
        reported.add(name)
        reportColumn(1, name, `the column is missing: expected ${expects}`)
      })
    },
    async add(batch) {
      for (const { line, header, cells, wrong, faults = [] } of batch) {
        const at = placesFor(header, line)
        row[0] = copied[0] = String(line)
        if (wrong !== undefined) report('', null, `there are ${wrong} cells than columns`)
        for (const { column, value, message } of faults) report(column, value, message)
        if (faults.length > 0) {
          refuse(line, cells, at)
          continue
        }
        for (let i = 0; i < columns.length; i++) {
          const place = at[i]
          if (place !== undefined && cells[place] === above[i]) continue
          const [name, column] = columns[i] as [string, Column]
          above[i] = UNREAD
          const isList = place !== undefined && Array.isArray(cells[place]) && !column.sqlType.endsWith('[]')
          const cell = place === undefined ? null : isList ? undefined : cellText(cells[place])
          let stored: string | null = column.fallback
          if (cell === undefined) {
            const value = JSON.stringify(cells[place as number], (_, v) => (typeof v === 'bigint' ? String(v) : v))
            const why =
              typeof cells[place as number] === 'number' ? '; round it, or write it as a string to keep it exact' : ''
            report(name, value, `expected ${column.expects}${why}`)
          } else if (cell === null || (cell === '' && (column.required || column.keepsEmpty !== true))) {
            if (!column.required) above[i] = place === undefined ? UNREAD : cells[place]
            else if (!reported.has(name))
              report(name, null, `${place === undefined ? 'is missing' : 'is empty'}: expected ${column.expects}`)
          } else {
            const read = column.read(cell)
            if (read === undefined)
              report(name, cell, `expected ${column.expects}${cell.includes('\0') ? ', without a NUL character' : ''}`)
            else {
              stored = read
              above[i] = cells[place as number]
            }
          }
          row[i + 1] = stored
          copied[i + 1] = copyText(stored)
        }
        if (wrongCells.length > 0) {
          refuse(line, cells, at)
          continue
        }
        if (orders.length > 0) {
          // Different texts are different keys: no key has decimals, which can be written in several ways.
          const thisKey = key.map((i) => row[i] ?? '')
          if (lastKey !== undefined) {
            const before = lastKey
            const isAfter = (order: Order) =>
              thisKey.map((part, i) => order(part, before[i] as string)).find(Boolean) === 1
            if (!orders.every(isAfter)) orders = orders.filter(isAfter)
          }
          lastKey = thisKey
        }
        // A load with a problem stores nothing: the other rows are only checked.
        if (problems.count > 0) continue
        content = copied.slice(1).join('\t')
        if (isStored(hashedKey.map((i) => copied[i]).join('\t'), content)) {
          skipped++
          continue
        }
        rows++
        if (keep()) continue
        await send()
        keep()
      }
    },
    async end() {
      if (problems.count === 0) await send()
      await sending
      await db.unsafe(analyzeRoughly(stagedRows(entity.name).text))
      return { rows, skipped, ascending: orders.length > 0 }
    },
  }
}

/** The file's columns that identify the stored row. A movement's number identifies it, even if the item changes. */
const hashedKeyOf = ({ ledger, key, tableKey, columns }: Entity): readonly string[] =>
  ledger || tableKey === undefined
    ? key
    : Object.entries(columns).flatMap(([name, column]) => (tableKey.includes(storedName(name, column)) ? name : []))

/** A cell as people see it. */
const givenText = (cell: Cell): string | null =>
  cellText(cell) ?? (cell == null ? null : JSON.stringify(cell, (_, v) => (typeof v === 'bigint' ? String(v) : v)))

/** The cells of a wrong row that can be read; null for the others. Of codes with spaces at their ends, the code. */
export function readable({ columns, key }: Entity, row: RowKey): RowKey {
  const read = (name: string, { read, required, fallback }: Column): string | null => {
    const cell = row[name] ?? null
    if (cell === null || cell === '') return required ? null : fallback
    const trimmed = cell.trim()
    return read(cell) ?? (key.includes(name) && trimmed !== '' ? read(trimmed) : undefined) ?? null
  }
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, read(name, column)]))
}

const sameNames = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]))
