/** Describes a report: its values, its fields, and a call that works. */
import { type Column, columnsOf, type ValueColumn } from '../../../kernel/report/columns.js'
import type { Param, Params, Values } from '../../../kernel/report/params.js'
import type { Report } from '../../../kernel/report/report.js'
import { shapeNameFor } from '../../../kernel/report/report.js'
import { MOST_TOKENS, rowsThatFit } from '../answer.js'
import { exampleOf, meantBy, VIEW } from '../asked.js'
import type { Answer, Tool } from '../tool.js'

export const describeReport: Tool = {
  name: 'describe_report',
  title: 'Describe a report',
  about: 'Parameters, fields and an example of a report or saved view.',
  takes: { report: { kind: 'text', required: true } },
  gives: {
    report: { type: 'string' },
    about: { type: 'string' },
    values: { type: 'array', items: { type: 'object' } },
    fields: { type: 'array', items: { type: 'object' } },
    call: { type: 'object' },
    view: { type: 'object' },
    note: { type: 'string' },
  },
  optional: ['view', 'note'],
  example: ({ reports }) => ({ name: 'describe_report', arguments: { report: reports[0]?.id } }),
  async run(given, source, signal) {
    const name = given['report'] as string
    const known = source.reports.find(({ id }) => id === name)
    const call = known === undefined ? { report: name } : exampleOf(known)
    const { report, values, saved, state } = await meantBy('describe_report', call, source, signal)
    const fields = fieldsOf(report, values)
    const head: Answer = {
      ...{ version: state.version, period: { today: state.today }, report: report.id },
      about: `${report.title}: ${report.summary}. ${report.description.replace(/\s+/g, ' ')}`,
      values: Object.entries(report.request).map(([name, param]) => paramOf(name, param)),
      call: saved === undefined ? exampleOf(report) : { report: VIEW + saved.id },
      ...(saved !== undefined && { view: saved.definition }),
    }
    const room = { rows: fields.length, tokens: MOST_TOKENS }
    const fitting = rowsThatFit(fields, head, room)
    if (fitting.length === fields.length) return { ...head, fields, ...variantNote(report, values) }
    const names = fields.map(({ field, type }) => ({ field, type }))
    const note = 'The descriptions of the fields are left out: they would make this answer too long.'
    return { ...head, fields: rowsThatFit(names, head, room), note }
  },
}

function variantNote(report: Report, values: Values<Params>): { note?: string } {
  const { shapedBy, request } = report
  if (shapedBy === undefined) return {}
  const type = request[shapedBy]?.type
  const words = type?.kind === 'word' ? type.words : []
  return {
    note: `These are the fields with ${shapedBy} ${shapeNameFor(report, values)}; another ${shapedBy} (${words.join(', ')}) has other fields, which an error of run_report names.`,
  }
}

function paramOf(name: string, { type, description, required, byDefault, insteadOf }: Param<unknown>) {
  const kind = type.kind === 'word' ? type.words.join(' | ') : type.kind === 'zero-or-one' ? '0 | 1' : type.kind
  return {
    ...{ name, type: kind, about: plain(description) },
    ...(required && { required }),
    ...(insteadOf !== undefined && { one_of: insteadOf }),
    ...(byDefault !== undefined && { default: String(byDefault) }),
  }
}

interface FieldRow {
  readonly [name: string]: unknown
  readonly field: string
  readonly type: string
}

const fieldsOf = (report: Report, values: Values<Params>): FieldRow[] => rowsOf(columnsOf(report.shapeFor(values)), '')

function rowsOf(columns: readonly Column[], around: string): FieldRow[] {
  return columns.flatMap((column): FieldRow[] => {
    const field = around + column.name
    if (column.kind === 'nested') return rowsOf(column.columns, `${field}.`)
    const about = plain(column.description)
    if (column.kind === 'lines')
      return [{ field, type: `list of ${column.columns.map(({ name }) => name).join(', ')}`, about }]
    return [{ field, type: typeOf(column), about, ...marksOf(column) }]
  })
}

const typeOf = (column: ValueColumn): string => (column.kind === 'word' ? column.words.join(' | ') : column.kind)

const marksOf = ({ unit, behind, additive }: ValueColumn) => ({
  ...(unit !== undefined && { unit: `field ${unit}` }),
  ...(additive && { summed: true }),
  ...(behind !== undefined && { explained: true }),
})

const plain = (markdown: string): string => markdown.replaceAll('`', '').replace(/\s+/g, ' ')
