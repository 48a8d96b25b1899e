/** The mapping file of a folder of spreadsheets: which sheet has the rows of each entity, and in which columns. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { MillbookError } from '../../errors.js'
import { entities } from '../../import/entities.js'
import type { Entity } from '../../import/entity.js'
import { nearest } from '../../nearest.js'
import { dateReader, type Formats } from './formats.js'

/** Where the value of an import's column comes from. */
export type From =
  | { readonly column: string; readonly take: 'value' | 'unit'; readonly values: Readonly<Record<string, string>> }
  /** The number of the row among rows with the same value in this column. */
  | { readonly count: string }
  | { readonly constant: string }

export interface SheetMapping {
  readonly entity: Entity
  /** A name, or a pattern with `*`. */
  readonly file: string
  readonly sheet: string | undefined
  /** The row with the names of the columns. */
  readonly header: number
  readonly columns: ReadonlyMap<string, From>
  readonly formats: Formats
  readonly separator: string
  readonly encoding: string
  /** Leaves out rows in which this column of the sheet is empty: totals and blank lines. */
  readonly unless: string | undefined
  /** Takes only the first row of each key: the heads of documents from a list of lines. */
  readonly first: boolean
}

const NAMES = ['mapping.yaml', 'mapping.yml', 'mapping.json']
const SHEET = [
  'file',
  'sheet',
  'header',
  'columns',
  'constants',
  'dates',
  'decimal',
  'separator',
  'encoding',
  'unless',
  'first',
]
const DEFAULTS = ['dates', 'decimal', 'separator', 'encoding']

type Given = Readonly<Record<string, unknown>>

export function readMapping(folder: string, named: string | undefined): SheetMapping[] {
  const file = named ?? NAMES.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (!existsSync(folder)) throw new MillbookError(`there is no folder ${folder}`)
  if (file === undefined)
    throw new MillbookError(`there is no mapping in ${folder}: write ${NAMES[0]}, or name a file with --mapping`)
  let given: unknown
  try {
    given = parse(readFileSync(file, 'utf8'), { schema: 'failsafe' }) // JSON is YAML too; 0010 stays a text
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new MillbookError(code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read: ${message}`)
  }
  const { entities: wanted, ...defaults } = object(file, given, ['entities', ...DEFAULTS])
  const byName = object(
    `${file}: entities`,
    wanted,
    entities.map(({ name }) => name),
  )
  return entities.flatMap((entity: Entity) => {
    const sheets = byName[entity.name]
    return (sheets === undefined ? [] : Array.isArray(sheets) ? sheets : [sheets]).map((one) =>
      readSheet(`${file}: ${entity.name}`, entity, { ...defaults, ...object(`${file}: ${entity.name}`, one, SHEET) }),
    )
  })
}

function readSheet(where: string, entity: Entity, given: Given): SheetMapping {
  const text = (name: string): string | undefined => {
    const value = given[name]
    if (value === undefined || typeof value === 'string') return value
    throw new MillbookError(`${where}.${name} must be a text`)
  }
  const { header = '1', first = 'false' } = given
  if (!/^[1-9]\d{0,6}$/.test(String(header))) throw new MillbookError(`${where}.header must be the number of a row`)
  if (first !== 'true' && first !== 'false') throw new MillbookError(`${where}.first must be true or false`)
  const file = text('file')
  if (file === undefined) throw new MillbookError(`${where}.file is missing`)
  const decimal = text('decimal') ?? '.'
  if (decimal !== '.' && decimal !== ',') throw new MillbookError(`${where}.decimal must be "." or ","`)
  const encoding = text('encoding') ?? 'utf-8'
  try {
    new TextDecoder(encoding)
  } catch {
    throw new MillbookError(`${where}.encoding ${encoding} is unknown; there are utf-8, windows-1252 and others`)
  }
  const names = Object.keys(entity.columns)
  const columns = object(`${where}.columns`, given['columns'] ?? {}, names)
  const constants = object(`${where}.constants`, given['constants'] ?? {}, names)
  return {
    ...{ entity, file, sheet: text('sheet'), header: Number(header), unless: text('unless'), first: first === 'true' },
    ...{ separator: text('separator') ?? ',', encoding, formats: { date: dateReader(text('dates')), decimal } },
    columns: new Map<string, From>([
      ...Object.entries(constants).map(([name, value]): [string, From] => [name, { constant: String(value) }]),
      ...Object.entries(columns).map(([name, from]): [string, From] => [
        name,
        readFrom(`${where}.columns.${name}`, from),
      ]),
    ]),
  }
}

function readFrom(where: string, given: unknown): From {
  if (typeof given === 'string') return { column: given, take: 'value', values: {} }
  const { column, take = 'value', values = {}, count } = object(where, given, ['column', 'take', 'values', 'count'])
  if (typeof count === 'string') return { count }
  if (typeof column !== 'string') throw new MillbookError(`${where} must be the name of a column, or an object with it`)
  if (take !== 'value' && take !== 'unit') throw new MillbookError(`${where}.take must be value or unit`)
  const texts = Object.entries(object(`${where}.values`, values)).map(([from, to]) => [from, String(to)])
  return { column, take, values: Object.fromEntries(texts) }
}

function object(where: string, given: unknown, names?: readonly string[]): Given {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new MillbookError(`${where} must be an object${names ? ` with ${names.join(', ')}` : ''}`)
  const unknown = names && Object.keys(given).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new MillbookError(
      `${where}.${unknown} is unknown${nearest(unknown, names ?? [])}; there are ${names?.join(', ')}`,
    )
  return given as Given
}
