/** Turns drafts into rules of a mapping: with the names of files and sheets, the header, and the rows that are left out. */
import type { Column } from '../../../import/columns.js'
import { entities } from '../../../import/entities.js'
import { mappedColumns } from './columns-in.js'
import type { Draft } from './context.js'
import type { Field } from './field.js'
import type { FoundTable } from './found.js'
import type { Where } from './places.js'
import type { FromObject, RowRuleObject, RuleObject } from './proposal.js'

export function ruleOf(
  table: FoundTable,
  { file, sheet }: Where,
  draft: Draft,
  decimal: string | undefined,
): RuleObject {
  const { first, last } = table.header
  const { separator, encoding } = table.options
  const bare = table.bareTotals > 0 ? textColumn(table, draft)?.name : undefined
  const unless = draft.unless ?? bare
  const leaveOut = [
    ...sumRows(table),
    ...(table.silent === undefined || table.silent.column === unless ? [] : [{ column: table.silent.column }]),
    ...(bare === undefined || unless === bare ? [] : [{ column: bare }]),
    ...(draft.leaveOut ?? []),
  ]
  const one = (rules: readonly RowRuleObject[]) => (rules.length === 1 ? (rules[0] as RowRuleObject) : rules)
  return {
    file,
    ...(sheet !== undefined && { sheet }),
    ...(last > 1 && { header: first === last ? String(last) : `${first}-${last}` }),
    ...(separator !== ',' && { separator }),
    ...(encoding !== 'utf-8' && { encoding }),
    ...(decimal !== undefined && { decimal }),
    ...(table.blanks > 0 && { blank: 'true' }),
    ...(draft.yearBegins !== undefined && draft.yearBegins !== 1 && { year_begins: String(draft.yearBegins) }),
    ...(draft.first !== undefined && { first: draft.first }),
    ...(unless !== undefined && { unless }),
    ...(leaveOut.length > 0 && { leave_out: one(leaveOut) }),
    ...(draft.only !== undefined && draft.only.length > 0 && { only: one(draft.only) }),
    ...(table.next !== undefined && { until: { column: table.next.column, like: table.next.text } }),
    columns: withoutTimes(table, draft),
    ...(Object.keys(draft.constants ?? {}).length > 0 && { constants: draft.constants as Record<string, string> }),
  }
}

const DECLARED = new Map<string, Readonly<Record<string, Column>>>(entities.map(({ name, columns }) => [name, columns]))

/** Takes the date alone from dates with a time, where the import has no time. */
function withoutTimes({ fields }: FoundTable, { entity, columns }: Draft): Readonly<Record<string, FromObject>> {
  const declared = DECLARED.get(entity) ?? {}
  return Object.fromEntries(
    Object.entries(columns).map(([name, from]): [string, FromObject] => {
      const { column, fill, ...more } = typeof from === 'string' ? { column: from } : from
      const field = fields.find((one) => one.name === column)
      if (declared[name]?.sqlType !== 'date' || Object.keys(more).length > 0) return [name, from]
      if (field === undefined || field.evidence.dates.timed === 0) return [name, from]
      return [name, { text: `{${field.name}|date}`, ...(fill !== undefined && { fill }) }]
    }),
  )
}

/** Totals, carried balances and repeated headers. */
function sumRows(table: FoundTable): RowRuleObject[] {
  const rules: RowRuleObject[] = []
  for (const [place, texts] of table.totals) {
    const field = table.fields[place]
    if (field === undefined) continue
    const isSafe = ![...field.evidence.texts.keys()].some((text) => /total/i.test(text))
    const like = isSafe ? '*total*' : texts.size === 1 ? ([...texts][0] as string) : [...texts]
    rules.push({ column: field.name, like })
  }
  for (const [place, texts] of table.carried) {
    const field = table.fields[place]
    if (field !== undefined)
      rules.push({ column: field.name, like: texts.size === 1 ? ([...texts][0] as string) : [...texts] })
  }
  const [first] = table.fields.filter(({ heading }) => heading !== '')
  if (table.repeats > 0 && first !== undefined)
    rules.push({ column: first.name, like: first.heading.split(' / ').at(-1) as string })
  return rules
}

/** A column of texts that no row lacks; one that the draft names, if there is any. */
function textColumn(table: FoundTable, draft: Draft): Field | undefined {
  const named = mappedColumns(draft.columns)
  const full = table.fields.filter(
    ({ evidence }) => evidence.filled === table.rows && !evidence.isNumeric && evidence.filled > 0,
  )
  return full.find(({ name }) => named.has(name)) ?? full[0]
}
