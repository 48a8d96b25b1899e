/** Writes src/client/reports.ts from the declarations of the reports. */
import { type Column, columnsOf, keyOf, type ValueColumn, valuesIn } from '../../src/kernel/report/columns.js'
import { keyed } from '../../src/kernel/report/keyed.js'
import type { ParamType } from '../../src/kernel/report/params.js'
import type { Report, Shape } from '../../src/kernel/report/report.js'
import { CANCELLED, totalsRecord } from '../../src/kernel/report/totals.js'

const pascal = (text: string) =>
  text
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + (/^[A-Z]+$/.test(word) ? word.slice(1).toLowerCase() : word.slice(1)))
    .join('')
const camel = (text: string) => pascal(text).replace(/^./, (letter) => letter.toLowerCase())
const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`
const words = (list: readonly string[]) => list.map(quoted).join(' | ')
const indent = (text: string, by: string) => text.replaceAll(/^(?=.)/gm, by)
const doc = (text: string) => `/** ${text.replaceAll('*/', '* /').replaceAll(/\s*\n\s*/g, ' ')} */\n`

function valueType(column: ValueColumn): string {
  switch (column.kind) {
    case 'word':
      return words(column.words)
    case 'decimal':
      return 'D'
    case 'number':
      return 'Amount<D>'
    case 'integer':
      return column.wire === 'number' ? 'number' : 'D'
    case 'flag':
      return words(['true', 'false'])
    case 'list':
      return 'string[]'
    case 'object':
      return column.of === 'values'
        ? 'Record<string, string | number>'
        : 'Record<string, { before: string | null; after: string | null }>'
    default:
      return 'string'
  }
}

function typeOf(column: Column): string {
  if (column.kind === 'nested') return `{\n${indent(members(column.columns), '  ')}}`
  if (column.kind === 'lines') return `{\n${indent(members(column.columns), '  ')}}[]`
  const { absent } = column
  if (absent === undefined) return valueType(column)
  return `${valueType(column)} | ${absent === null ? 'null' : quoted(absent)}`
}

const members = (columns: readonly Column[], optional = ''): string =>
  columns.map((column) => `${doc(column.description)}${column.name}${optional}: ${typeOf(column)}\n`).join('')

function paramType(type: ParamType): string {
  switch (type.kind) {
    case 'word':
      return words(type.words)
    case 'zero-or-one':
      return '0 | 1'
    case 'whole-number':
      return 'number'
    default:
      return 'string'
  }
}

/** The paths of a record's decimals. */
const decimalsOf = (columns: readonly Column[], around = ''): string[] =>
  columns.flatMap((column) => {
    const path = around + column.name
    if (column.kind === 'nested' || column.kind === 'lines') return decimalsOf(column.columns, `${path}.`)
    const isDecimal = /D/.test(valueType(column).replaceAll(/'[^']*'/g, ''))
    return isDecimal ? [path] : []
  })

const params = ({ request, perPageFrom }: Report) => Object.entries(request).filter(([name]) => name !== perPageFrom)

const interfaceOf = (name: string, body: string): string => `export interface ${name} {\n${indent(body, '  ')}}\n`

/** The sums of a record's fields, which have the descriptions of the record. */
function totalsType(own: string, { cancelled, record }: Shape): string {
  const columns = columnsOf({ record: totalsRecord({ record, ...(cancelled && { cancelled }) }) })
  if (columns.some(({ kind }) => kind === 'nested')) return interfaceOf(`${own}Totals<D = string>`, members(columns))
  const added = columnsOf({ record }).filter((column) => 'additive' in column && column.additive)
  const [quantities, amounts] = [true, false].map((wanted) =>
    words(added.filter((column) => 'unit' in column === wanted).map(({ name }) => name)),
  )
  const parts = [
    ...(amounts ? [`Sums<${own}Record<D>, ${amounts}, D>`] : []),
    ...(quantities ? [`Quantities<${own}Record<D>, ${quantities}, D>`] : []),
    ...(cancelled ? ['Cancelled'] : []),
  ]
  return `export type ${own}Totals<D = string> = ${['Totals', ...parts].join(' & ')}\n`
}

/** What groups and comparisons know of a record's fields. */
function figuresType(own: string, { record, cancelled }: Shape): string {
  const values = valuesIn(record).map(({ path, field }) => ({ path: path.join('.'), field }))
  const of = (kinds: readonly string[]) => values.filter(({ field }) => kinds.includes(field.type.kind))
  const names = (some: typeof values) => words(some.map(({ path }) => path)) || 'never'
  const units = values.flatMap(({ path, field }) =>
    field.unit === undefined ? [] : [`${quoted(path)}: ${quoted(field.unit)}`],
  )
  const parts = [
    names(of(['decimal', 'number', 'integer'])),
    names(values.filter(({ field }) => field.additive)),
    units.length === 0 ? 'object' : `{ ${units.join('; ')} }`,
    names(of(['date', 'timestamp'])),
    ...(cancelled ? [quoted(CANCELLED)] : []),
  ]
  return `export type ${own}Figures<D = string> = Figures<D, ${parts.join(', ')}>\n`
}

/** Replaces each type that repeats an earlier one by its name. */
function named(types: string): string {
  const first = new Map<string, string>()
  return types.replaceAll(/export interface (\w+)(<D = string>)? (\{\n.*?^\}\n)/gms, (whole, name, of = '', body) => {
    const known = first.get(of + body)
    first.set(of + body, known ?? name)
    return known === undefined ? whole : `export type ${name}${of} = ${known}${of && '<D>'}\n`
  })
}

function typesOf(report: Report): string {
  const name = pascal(report.id)
  const given = params(report).map(
    ([name, { type, description, required }]) =>
      `  ${doc(description).trimEnd()}\n  ${name}${required ? '' : '?'}: ${paramType(type)}${required ? '' : ' | undefined'}\n`,
  )
  const request = given.length === 0 ? '' : `export interface ${name}Params {\n${given.join('')}}\n\n`
  const shapes = [...report.shapes].map(([shape, declared]) => {
    const { record, hiddenKey = {} } = declared
    const own = `${name}${pascal(shape)}`
    const hidden = columnsOf({ record: hiddenKey }).map((column) => ({
      ...column,
      name: `_${column.name}`,
      description: `${column.description} Only in \`changesSince\`.`,
    }))
    const complete = keyed(report).shapes.get(shape) as Shape
    const columns = columnsOf(complete)
    const key = keyOf(complete).flatMap(({ path }) => columns.filter(({ name }) => name === path?.[0]))
    const names = [...new Set(key.map(({ name }) => name))]
    return [
      interfaceOf(`${own}Record<D = string>`, members(columnsOf({ record })) + members(hidden, '?')),
      `export type ${own}Key<D = string> = Required<Pick<${own}Record<D>, ${words(names)}>>\n`,
      totalsType(own, declared),
      figuresType(own, declared),
    ].join('\n')
  })
  return request + shapes.join('\n')
}

function methodsOf(report: Report): string {
  const name = pascal(report.id)
  const method = camel(report.id.slice(report.group.length + 1))
  const { shapedBy, shapes, request } = report
  // The names of the fields do not depend on the type of decimals, which may be an object.
  const query = (shape: string) =>
    `Query<${['Record', 'Key', 'Totals'].map((part) => `${name}${shape}${part}<D>`).join(', ')}, FieldName<${name}${shape}Record>, ${name}${shape}Figures<D>>`
  const required = params(report).some(([, param]) => param.required)
  const given = (type: string) => (params(report).length === 0 ? '' : required ? `params: ${type}` : `params?: ${type}`)
  const about = doc(report.summary)
  if (shapedBy === undefined) return `${about}${method}(${given(`${name}Params`)}): ${query('')}\n`
  const overloads = [...shapes.keys()].map((shape) => {
    const isDefault = request[shapedBy]?.byDefault === shape
    const chosen = isDefault ? `${shapedBy}?: ${quoted(shape)} | undefined` : `${shapedBy}: ${quoted(shape)}`
    const type = `${name}Params & { ${chosen} }`
    return `${about}${method}(${isDefault ? given(type) : `params: ${type}`}): ${query(pascal(shape))}\n`
  })
  const any = [...shapes.keys()].map((shape) => query(pascal(shape))).join(' | ')
  return `${overloads.join('')}${about}${method}(params: ${name}Params): ${any}\n`
}

function infoOf(report: Report): string {
  const all = [...report.shapes.keys()].flatMap((shape) => {
    const complete = keyed(report).shapes.get(shape) as Shape
    const { _by_unit } = totalsRecord(complete)
    const byUnit = _by_unit === undefined ? [] : decimalsOf(columnsOf({ record: { _by_unit } }))
    return [...decimalsOf(columnsOf(complete)), ...byUnit]
  })
  const method = camel(report.id.slice(report.group.length + 1))
  const decimals = [...new Set(all)].map(quoted).join(', ')
  return `    ${method}: { id: ${quoted(report.id)}, method: '${report.method}', path: ${quoted(report.path)}, decimals: [${decimals}] },\n`
}

export function clientReports(reports: readonly Report[]): string {
  const groups = [...new Set(reports.map(({ group }) => group))]
  const of = (group: string) => reports.filter((report) => report.group === group)
  return `/** The reports, as types and as a table. Made from their declarations by \`npm run client\`; do not edit. */
import type { FieldName } from './fields.js'
import type { Figures } from './groups.js'
import type { Query, ReportInfo } from './query.js'

/** An amount that the service sends as a JSON number: a number, unless you have your own type for decimals. */
export type Amount<D> = string extends D ? number : D

/** The number of records, without cancelled documents. */
export interface Totals {
  rows: number
}

/** Sums of amounts. */
export type Sums<R, Name extends keyof R, D> = { [Field in keyof Pick<R, Name>]: D }

/** Sums of quantities: null if the records have several units; \`_by_unit\` has the sum in each. */
export type Quantities<R, Name extends keyof R, D> = { [Field in keyof Pick<R, Name>]: D | null } & {
  _by_unit: ({ unit: string | null } & { [Field in keyof Pick<R, Name>]: D | null })[]
}

/** The number of cancelled documents, which no sum has. */
export interface Cancelled {
  _cancelled: number
}

${named(reports.map(typesOf).join('\n'))}
/** The reports by group; \`D\` is the type of decimals. */
export interface Reports<D = string> {
${groups.map((group) => `  readonly ${group}: {\n${indent(of(group).map(methodsOf).join(''), '    ')}  }\n`).join('')}}

export const reports: Readonly<Record<string, Readonly<Record<string, ReportInfo>>>> = {
${groups.map((group) => `  ${group}: {\n${of(group).map(infoOf).join('')}  },\n`).join('')}}
`
}
