/** A proposed mapping, in the JSON of the API: the tables that were found in the files, and the rules that read them. */
import type { Proposal } from '../../../bring/bring.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { text } from '../../openapi.js'
import { all, count, flag, listOf, maybe } from '../operation.js'

export const proposalJson = ({ settings, tables, mapping, unread }: Proposal) => ({
  settings: {
    dates: settings.dates ?? null,
    decimal: settings.decimal ?? null,
    year_begins: settings.yearBegins ?? null,
  },
  ...{ tables, mapping, unread },
})

const texts = (description: string): JsonSchema => ({ type: 'array', items: { type: 'string' }, description })
const free = (description: string): JsonSchema => ({ type: 'object', additionalProperties: true, description })
const setting = (value: JsonSchema, description: string): JsonSchema => ({
  ...all({ value, why: text('How it was found out.'), unsure: flag('Whether the guess may be wrong.') }),
  ...{ type: ['object', 'null'], description },
})

export const proposalSchemas: Record<string, JsonSchema> = {
  AdminProposal: all({
    settings: all({
      dates: setting(texts('Such as DD-MM-YYYY.'), 'How dates are written in texts; null if the files do not need it.'),
      decimal: setting({ type: 'string', enum: ['.', ','] }, 'The decimal sign of numbers in texts.'),
      year_begins: setting(count('A month.'), 'The first month of the year in numbers of documents.'),
    }),
    tables: listOf('AdminTable'),
    mapping: free('The mapping with all rules, as a mapping file has it.'),
    unread: {
      ...{ type: 'array', description: 'Files and sheets that no rule reads.' },
      items: all({ file: text('The file.'), sheet: text('The sheet; empty for a whole file.'), why: text('Why.') }),
    },
  }),
  AdminTable: all({
    id: text('Its id in the proposal.'),
    sheets: {
      ...{ type: 'array', description: 'The sheets of this form.' },
      items: all({
        file: text('The file.'),
        sheet: text('The sheet; empty for a format that has only one.'),
        hidden: flag('Whether the workbook hides it.'),
        rows: count('Rows under the header that are not empty.'),
      }),
    },
    header: all({ first: count('First row of the header.'), last: count('Its last row.') }),
    columns: listOf('AdminTableColumn'),
    sample: {
      ...{ type: 'array', description: 'The first rows of the first sheet, as people see them.' },
      items: all({
        line: count('The row, from 1.'),
        role: { type: 'string', enum: ['title', 'header', 'row', 'total', 'blank'], description: 'What it is.' },
        cells: texts('By place of the column.'),
      }),
    },
    rules: {
      ...{ type: 'array', description: 'The rules that read it; none if no entity fits.' },
      items: all({
        entity: text('The entity whose rows it brings.'),
        given: free('The rule, as a mapping file has it.'),
        doubts: listOf('AdminDoubt'),
      }),
    },
    doubts: listOf('AdminDoubt'),
  }),
  AdminTableColumn: all({
    letter: text('As spreadsheet programs show it.'),
    heading: text('Its heading, with the headings above it.'),
    name: text('The name by which a mapping names it without doubt.'),
    kind: text('The kind of its values.'),
    units: texts('Units that its cells state.'),
    currencies: texts('Currencies that its cells state.'),
    examples: texts('At most three values.'),
    filled: count('The number of rows in which it is not empty.'),
  }),
  AdminDoubt: maybe(all({ reason: text('The doubt, as a sentence.') }), {
    column: text('The column of the import that it is about.'),
    needed: flag('True: the load fails, or is wrong, until a person decides.'),
  }),
}
