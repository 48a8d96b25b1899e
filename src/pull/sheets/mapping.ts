/** The mapping file of a folder of spreadsheets: which sheets have the rows of each entity, and in which columns. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { MillbookError } from '../../errors.js'
import { entities } from '../../import/entities.js'
import type { Entity } from '../../import/entity.js'
import { nearest } from '../../nearest.js'
import { type Calculation, oneColumn, readCalculation } from './calculation.js'
import { dateReader, type Formats } from './formats.js'
import { asPattern, type Pattern } from './pattern.js'

export type { ColumnName } from './sheet.js'

import type { ColumnName } from './sheet.js'
import { columnsInTemplate, readTemplate, type Template } from './template.js'

/** Where the value of an import's column comes from. */
export type From = FromCell | FromRows | { readonly constant: string }

export interface FromCell {
  readonly column: ColumnName
  readonly take: 'value' | 'unit'
  /** Other words for some values. */
  readonly values: Readonly<Record<string, string>>
  /** The number of fraction digits that it is rounded to. */
  readonly round: number | undefined
}

export type FromRows =
  /** The number of the row among rows with the same text. */
  | { readonly count: Template }
  /** A text made of several columns. */
  | { readonly text: Template }
  /** The code of the item, customer or vendor of this name; made from the name if none has one. */
  | { readonly code: ColumnName }
  /** The sum over all rows of a key, for the head of a document. */
  | { readonly sum: Calculation; readonly round: number | undefined }
  /** A number calculated from several columns of the row. */
  | { readonly calc: Calculation; readonly round: number | undefined }

/** Which rows a rule is about, and the rule in words. */
export interface RowRule {
  readonly column: ColumnName
  /** Undefined for an empty cell. */
  readonly like: Pattern | undefined
  readonly words: string
}

export interface SheetMapping {
  readonly entity: Entity
  readonly file: Pattern
  /** Undefined for the first sheet that is not hidden. */
  readonly sheet: Pattern | undefined
  /** The rows with the names of the columns: the last row, and groups of columns above it. */
  readonly header: { readonly first: number; readonly last: number }
  readonly columns: ReadonlyMap<string, From>
  readonly formats: Formats
  readonly separator: string
  readonly encoding: string
  /** Rows that are left out. */
  readonly leaveOut: readonly RowRule[]
  /** Rows are left out unless all of these are about them. */
  readonly only: readonly RowRule[]
  /** The table ends before this row. */
  readonly until: readonly RowRule[]
  /** Empty rows are expected. */
  readonly blank: boolean
  /** Takes only the first row of each key, the head of a document from a list of lines; `any`: also if later rows differ. */
  readonly first: 'no' | 'same' | 'any'
  /** An empty cell of these columns has the value above it, until the next document or in all rows. */
  readonly fill: ReadonlyMap<ColumnName, 'down' | 'all'>
}

export interface Mapping {
  readonly sheets: readonly SheetMapping[]
  /** Whether the files have every row, so that stored rows which they lack are removed; undefined if the mapping does not say. */
  readonly complete: boolean | undefined
}

const NAMES = ['mapping.yaml', 'mapping.yml', 'mapping.json']
const DEFAULTS = ['dates', 'decimal', 'separator', 'encoding', 'blank', 'year_begins'] as const
const SHEET = [
  ...['file', 'sheet', 'header', 'columns', 'constants', 'unless', 'leave_out', 'only', 'until', 'first'],
  ...DEFAULTS,
]
const COLUMN = ['column', 'take', 'values', 'round', 'fill', 'count', 'text', 'code', 'sum', 'calc']

type Given = Readonly<Record<string, unknown>>

/** Reads the mapping of a folder, or the one at `named`. */
export function readMapping(folder: string, named: string | undefined): Mapping {
  const file = named ?? NAMES.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (!existsSync(folder)) throw new MillbookError(`there is no folder ${folder}`)
  if (file === undefined)
    throw new MillbookError(
      `there is no mapping in ${folder}: let millbook pull --inspect ${folder} propose one, write ${NAMES[0]}, or name a file with --mapping`,
    )
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new MillbookError(code === 'ENOENT' ? `there is no file ${file}` : `${file} cannot be read: ${message}`)
  }
  return mappingOf(text, file)
}

export const isMapping = (name: string): boolean => NAMES.includes(name)

/** `file` names the mapping in messages. */
export function mappingOf(text: string, file: string): Mapping {
  let given: unknown
  try {
    given = parse(text, { schema: 'failsafe' }) // JSON is YAML too; 0010 stays a text
  } catch (error) {
    throw new MillbookError(`${file} cannot be read: ${(error as Error).message}`)
  }
  const { entities: wanted, complete, ...defaults } = object(file, given, ['entities', 'complete', ...DEFAULTS])
  if (complete !== undefined && complete !== 'true' && complete !== 'false')
    throw new MillbookError(`${file}: complete must be true or false`)
  const byName = object(
    `${file}: entities`,
    wanted,
    entities.map(({ name }) => name),
  )
  const sheets = entities.flatMap((entity: Entity) => {
    const where = `${file}: ${entity.name}`
    return several(byName[entity.name]).map((one) =>
      readSheet(where, entity, { ...defaults, ...object(where, one, SHEET) }),
    )
  })
  return { sheets, complete: complete === undefined ? undefined : complete === 'true' }
}

const several = (given: unknown): unknown[] => (given === undefined ? [] : Array.isArray(given) ? given : [given])

function readSheet(where: string, entity: Entity, given: Given): SheetMapping {
  const text = (name: string): string | undefined => {
    const value = given[name]
    if (value === undefined || typeof value === 'string') return value
    throw new MillbookError(`${where}.${name} must be a text`)
  }
  const pattern = (name: string): Pattern | undefined => {
    const value = given[name]
    return value === undefined ? undefined : asPattern(`${where}.${name}`, value)
  }
  const oneOf = <Word extends string>(name: string, words: readonly Word[], fallback: Word): Word => {
    const value = text(name) ?? fallback
    if ((words as readonly string[]).includes(value)) return value as Word
    throw new MillbookError(`${where}.${name} must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)
  }
  const file = pattern('file')
  if (file === undefined) throw new MillbookError(`${where}.file is missing`)
  const encoding = text('encoding') ?? 'utf-8'
  try {
    new TextDecoder(encoding)
  } catch {
    throw new MillbookError(`${where}.encoding ${encoding} is unknown; there are utf-8, windows-1252 and others`)
  }
  const yearBegins = Number(text('year_begins') ?? '1')
  if (!Number.isInteger(yearBegins) || yearBegins < 1 || yearBegins > 12)
    throw new MillbookError(`${where}.year_begins must be the number of a month, such as 4 for April`)
  const names = Object.keys(entity.columns)
  const columns = object(`${where}.columns`, given['columns'] ?? {}, names)
  const constants = object(`${where}.constants`, given['constants'] ?? {}, names)
  const fill = new Map<ColumnName, 'down' | 'all'>()
  const read = Object.entries(columns).map(([name, from]): [string, From] => [
    name,
    readFrom(`${where}.columns.${name}`, from, yearBegins, fill),
  ])
  const unless = text('unless')
  return {
    ...{ entity, file, sheet: pattern('sheet'), header: readHeader(where, text('header') ?? '1'), fill },
    ...{ separator: text('separator') ?? ',', encoding },
    formats: { date: dateReader(several(given['dates']).map(String)), decimal: oneOf('decimal', ['.', ','], '.') },
    leaveOut: [
      ...(unless === undefined ? [] : [emptyRule(unless)]),
      ...readRules(`${where}.leave_out`, given['leave_out']),
    ],
    only: readRules(`${where}.only`, given['only']),
    until: readRules(`${where}.until`, given['until']),
    blank: oneOf('blank', ['true', 'false'], 'false') === 'true',
    first: ({ true: 'same', false: 'no', any: 'any' } as const)[oneOf('first', ['true', 'any', 'false'], 'false')],
    columns: new Map<string, From>([
      ...Object.entries(constants).map(([name, value]): [string, From] => [name, { constant: String(value) }]),
      ...read,
    ]),
  }
}

function readHeader(where: string, text: string): SheetMapping['header'] {
  const [, first, last = first] = /^([1-9]\d{0,6})(?:-([1-9]\d{0,6}))?$/.exec(text) ?? []
  if (first === undefined || Number(last) < Number(first) || Number(last) > Number(first) + 3)
    throw new MillbookError(`${where}.header must be the number of a row, or two such as 3-4`)
  return { first: Number(first), last: Number(last) }
}

const emptyRule = (column: string): RowRule => ({ column, like: undefined, words: `${column} is empty` })

function readRules(where: string, given: unknown): RowRule[] {
  return several(given).map((one) => {
    const { column, like } = object(where, one, ['column', 'like'])
    if (typeof column !== 'string') throw new MillbookError(`${where}.column must be the name of a column`)
    if (like === undefined) return emptyRule(column)
    const pattern = asPattern(`${where}.like`, like)
    return { column, like: pattern, words: `${column} is like ${pattern.words}` }
  })
}

function readFrom(where: string, given: unknown, yearBegins: number, fills: Map<ColumnName, 'down' | 'all'>): From {
  if (typeof given === 'string') return { column: given, take: 'value', values: {}, round: undefined }
  const { take = 'value', values = {}, fill, round, ...of } = object(where, given, COLUMN)
  const [[kind, named] = [], ...more] = Object.entries(of)
  if (kind === undefined || more.length > 0 || typeof named !== 'string')
    throw new MillbookError(
      `${where} must be the name of a column, or an object with one of column, count, text, code, sum and calc`,
    )
  if (fill !== undefined && fill !== 'down' && fill !== 'all')
    throw new MillbookError(`${where}.fill must be down or all`)
  const template = () => readTemplate(`${where}.${kind}`, named, yearBegins)
  const calculation = () => (named.includes('{') ? readCalculation(`${where}.${kind}`, named) : oneColumn(named))
  if (fill !== undefined) {
    if (kind !== 'column' && kind !== 'code' && kind !== 'text')
      throw new MillbookError(`${where}.fill needs column, code or text`)
    for (const column of kind === 'text' ? columnsInTemplate(template()) : [named]) fills.set(column, fill)
  }
  const digits = round === undefined ? undefined : Number(round)
  if (digits !== undefined && !(Number.isInteger(digits) && digits >= 0 && digits <= 6))
    throw new MillbookError(`${where}.round must be a number of digits from 0 to 6`)
  switch (kind) {
    case 'count':
      return { count: named.includes('{') ? template() : [{ column: named, part: 'text' }] }
    case 'text':
      return { text: template() }
    case 'code':
      return { code: named }
    case 'sum':
      return { sum: calculation(), round: digits }
    case 'calc':
      return { calc: readCalculation(`${where}.calc`, named), round: digits }
    default: {
      if (take !== 'value' && take !== 'unit') throw new MillbookError(`${where}.take must be value or unit`)
      const texts = Object.entries(object(`${where}.values`, values)).map(([from, to]) => [from, String(to)])
      return { column: named, take, values: Object.fromEntries(texts), round: digits }
    }
  }
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
