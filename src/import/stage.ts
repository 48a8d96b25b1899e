/** Puts the rows of a file into a staging table, after every cell has been read as its column's type. */
import type { Db } from '../db/connect.js'
import { copyRows, copyText } from '../db/copy.js'
import { insertRows } from '../db/insert.js'
import { identifier } from '../db/sql.js'
import { type Column, cellText } from './columns.js'
import type { Entity } from './entity.js'
import { nearest } from './nearest.js'
import type { Problems } from './problems.js'
import type { ImportFile } from './read.js'

/** Sent to the database at a time: enough to be fast, little enough for bounded memory. */
const BYTES_AT_A_TIME = 4 << 20

/** Up to this many are inserted, more are copied. */
const FEW_ROWS = 500

export const stagingTable = (entity: Entity): string => `millbook_staging.${identifier(entity.name).text}`

/** The files' rows wait here until all of them are known to be right. Whatever an interrupted load left is removed. */
export async function prepareStaging(db: Db, entities: readonly Entity[]): Promise<void> {
  await db.unsafe('drop schema if exists millbook_staging cascade; create schema millbook_staging')
  for (const entity of entities) {
    const columns = Object.entries(entity.columns).map(([name, { sqlType }]) => `${identifier(name).text} ${sqlType}`)
    await db.unsafe(`create unlogged table ${stagingTable(entity)} (line bigint not null, ${columns.join(', ')})`)
  }
}

export const dropStaging = (db: Db) => db.unsafe('drop schema if exists millbook_staging cascade')

/** Stages a file and returns the number of its rows; what is wrong with it goes to `problems`. */
export async function stageFile(
  db: Db,
  file: ImportFile,
  problems: Problems,
  onProgress: (bytes: number, rows: number) => void,
): Promise<number> {
  const { entity } = file
  const columns = Object.entries(entity.columns)
  const names = ['line', ...columns.map(([name]) => name)]
  let places: { header: readonly string[]; of: (number | undefined)[] } | undefined
  const complained = new Set<string>()
  let staged: (string | null)[][] = []
  let size = 0
  let rows = 0

  const send = async (waiting: (string | null)[][]) => {
    // A few rows: one statement instead of the conversation that a COPY is.
    if (waiting.length <= FEW_ROWS)
      await insertRows(
        db,
        `millbook_staging.${entity.name}`,
        waiting.map((row) => Object.fromEntries(row.map((cell, i) => [names[i], cell]))),
      )
    else {
      const lines = waiting.map((row) => `${row.map(copyText).join('\t')}\n`).join('')
      await db.begin((tx) => copyRows(tx, stagingTable(entity), names, lines))
    }
  }
  /** Sends what has been read, and lets the next part be read while it is under way. */
  let sending = Promise.resolve()
  const flush = async () => {
    await sending
    sending = staged.length === 0 ? Promise.resolve() : send(staged)
    sending.catch(() => {}) // told by whoever waits for it
    staged = []
    size = 0
  }

  /** Where each column stands in a row with this header; a wrong header is complained of once. */
  const placesFor = (header: readonly string[], line: number) => {
    if (places !== undefined && sameNames(places.header, header)) return places.of
    for (const name of header) {
      if (name === '' || Object.hasOwn(entity.columns, name) || complained.has(name)) continue
      complained.add(name)
      const message = `there is no such column${nearest(name, names.slice(1))}`
      problems.add({ file: file.name, line, column: name, value: null, message })
    }
    places = { header, of: columns.map(([name]) => (header.includes(name) ? header.indexOf(name) : undefined)) }
    return places.of
  }

  const onHeader = (header: readonly string[]) => {
    const at = placesFor(header, 1)
    columns.forEach(([name, { required, expects }], i) => {
      if (!required || at[i] !== undefined) return
      complained.add(name)
      problems.add({
        file: file.name,
        line: 1,
        column: name,
        value: null,
        message: `the column is missing: expected ${expects}`,
      })
    })
  }
  for await (const batch of file.rows({ onBytes: (bytes) => onProgress(bytes, rows), onHeader })) {
    for (const { line, header, cells, wrong } of batch) {
      rows++
      const at = placesFor(header, line)
      const row: (string | null)[] = [String(line)]
      if (wrong !== undefined)
        problems.add({
          file: file.name,
          line,
          column: '',
          value: null,
          message: `there are ${wrong} cells than columns`,
        })
      for (let i = 0; i < columns.length; i++) {
        const [name, column] = columns[i] as [string, Column]
        const place = at[i]
        const cell = place === undefined ? null : cellText(cells[place])
        let stored: string | null = column.fallback
        if (cell === undefined) {
          const value = JSON.stringify(cells[place as number], (_, v) => (typeof v === 'bigint' ? String(v) : v))
          const why = typeof cells[place as number] === 'number' ? '; write it as a string to keep it exact' : ''
          problems.add({ file: file.name, line, column: name, value, message: `expected ${column.expects}${why}` })
        } else if (cell === null || (cell === '' && (column.required || column.keepsEmpty !== true))) {
          if (column.required && !complained.has(name)) {
            const message = `${place === undefined ? 'is missing' : 'is empty'}: expected ${column.expects}`
            problems.add({ file: file.name, line, column: name, value: null, message })
          }
        } else {
          const read = column.read(cell)
          if (read === undefined)
            problems.add({ file: file.name, line, column: name, value: cell, message: `expected ${column.expects}` })
          else stored = read
        }
        row.push(stored)
        size += stored?.length ?? 1
      }
      staged.push(row)
    }
    if (size >= BYTES_AT_A_TIME) {
      if (problems.count === 0) await flush()
      else staged = [] // nothing of this load will be stored; the rest is only looked at
    }
  }
  if (problems.count === 0) await flush()
  await sending
  onProgress(0, rows)
  return rows
}

const sameNames = (a: readonly string[], b: readonly string[]) =>
  a === b || (a.length === b.length && a.every((name, i) => name === b[i]))
