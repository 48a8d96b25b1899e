/** The documentation page of the reports, made from the reports themselves and real records of the sample company. */
import { type Group, groups } from '../../groups.js'
import { contractShape } from '../../kernel/report/choose.js'
import { type Column, columnsOf, type ValueColumn } from '../../kernel/report/columns.js'
import type { Param, ParamType } from '../../kernel/report/params.js'
import type { Report, Shape } from '../../kernel/report/report.js'
import type { Example } from '../openapi.js'
import { EXAMPLE_DAY } from './examples.js'

const titles: Record<Group, string> = {
  masters: 'Masters',
  purchase: 'Purchase',
  grn: 'Goods receipts',
  inventory: 'Inventory',
  production: 'Production',
  sales: 'Sales',
  insight: 'Insight',
  partner: 'Partner',
  history: 'History',
}

/** `examples` has an example for each shape of each report, by the report's id. */
export function reportsPage(
  reports: readonly Report[],
  examples: Readonly<Record<string, readonly Example[]>>,
): string {
  const inGroup = (group: Group) => reports.filter((report) => report.group === group)
  const contents = groups.flatMap((group) =>
    inGroup(group).map(({ id, method, path, summary }) => `| [\`${method} ${path}\`](#${anchor(id)}) | ${summary} |`),
  )
  const sections = groups.flatMap((group) => [
    `## ${titles[group]}\n`,
    ...inGroup(group).map((report) => section(report, examples[report.id] ?? [])),
  ])
  return `# Reports

<!-- Made by \`npm run docs\` from src/reports/ and the sample company. Do not edit. -->

Send \`Authorization: Bearer <token>\` with every request. The response is \`{"data": […]}\`; pages have \`_links\` and \`_meta\`
beside \`data\`. Records in JSON have the fields of the contract; \`?fields=all\` adds the others, \`?fields=a,b\` chooses. Decimals are strings with a fixed number of fraction digits; the price of one unit may have up to 6.
Dates are \`YYYY-MM-DD\` of the account's time zone. The examples
are records of the sample company of ${EXAMPLE_DAY}; \`npx millbook demo\` makes a sample company up to today.

| | |
|---|---|
${contents.join('\n')}

${sections.join('\n')}`
}

const needed = ({ required, insteadOf }: Param<unknown>) =>
  required ? 'yes' : insteadOf === undefined ? 'no' : 'one of these'

const anchor = (id: string) => id.replace('.', '')

function section(report: Report, examples: readonly Example[]): string {
  const { id, method, path, summary, description, request, perPage } = report
  const params = Object.entries(request).map(
    ([name, param]) => `| \`${name}\` | ${paramForm(param.type)} | ${needed(param)} | ${text(param.description)} |`,
  )
  const asked =
    params.length === 0
      ? 'No parameters.\n'
      : `| parameter | value | required | meaning |\n|---|---|---|---|\n${params.join('\n')}\n`
  const pages =
    perPage === undefined
      ? 'Returns all records unless `?page=` or `?per-page=` requests a page.'
      : `Paginated: ${perPage} records a page.`
  const shapes = [...report.shapes].map(([name, shape], i) =>
    shapeSection(name === '' ? '' : `\`${report.shapedBy}\` ${name}: `, shape, examples[i]),
  )
  return `### ${id}\n\n\`${method} ${path}\`: ${summary}.\n\n${description}\n\n${pages}\n\n${asked}\n${shapes.join('\n')}`
}

function shapeSection(title: string, shape: Shape, example: Example | undefined): string {
  const own = fieldTable(rows(columnsOf(contractShape(shape)), ''))
  const extra = rows(columnsOf(shape), '').filter((row) => !own.includes(row))
  const more = extra.length === 0 ? '' : `\nWith \`fields=all\` also:\n\n${fieldTable(extra)}`
  const shown =
    example === undefined
      ? ''
      : `\n\`\`\`json\n${JSON.stringify(example.request)}\n\`\`\`\n\n\`\`\`json\n${JSON.stringify(example.record, null, 2)}\n\`\`\`\n`
  return `${title}${title === '' ? 'R' : 'r'}ecord:\n\n${own}${more}${shown}`
}

const fieldTable = (rows: readonly string[]) =>
  `| field | value | meaning |\n|---|---|---|\n${rows.map((row) => `${row}\n`).join('')}`

function rows(columns: readonly Column[], prefix: string): string[] {
  return columns.flatMap((column) => {
    const name = `${prefix}${column.name}`
    const row = (form: string) => `| \`${name}\` | ${form} | ${text(column.description)} |`
    if (column.kind === 'nested') return [row('object'), ...rows(column.columns, `${name}.`)]
    if (column.kind === 'lines') return [row('array of objects'), ...rows(column.columns, `${name}[].`)]
    return [row(valueForm(column))]
  })
}

/** The form of a value in words. */
function valueForm(column: ValueColumn): string {
  const { absent } = column
  if (absent === undefined) return form(column)
  return `${form(column)} or ${absent === null ? 'null' : absent === '' ? 'empty' : `\`${absent}\``}`
}

function form(column: ValueColumn): string {
  switch (column.kind) {
    case 'word':
      return wordList(column.words)
    case 'flag':
      return wordList(['true', 'false'])
    case 'decimal':
      return `decimal, ${column.digits}${column.upTo === undefined ? '' : ` to ${column.upTo}`} digits`
    case 'integer':
      return column.wire === 'number' ? 'integer' : 'whole number as a string'
    case 'timestamp':
      return `\`YYYY-MM-DD HH:MM:SS${column.clock === 12 ? 'AM' : ''}\``
    case 'time':
      return '`HH:MM:SS`'
    case 'list':
      return 'list of texts'
    case 'object':
      return column.of === 'values'
        ? 'object with the values of the key'
        : 'object with `before` and `after` of each field'
    default:
      return column.kind
  }
}

function paramForm(type: ParamType): string {
  switch (type.kind) {
    case 'word':
      return wordList(type.words)
    case 'zero-or-one':
      return wordList(type.wire === 'string' ? ['"0"', '"1"'] : ['0', '1'])
    case 'whole-number':
      return `whole number from ${type.smallest} to ${type.largest}${type.wire === 'string' ? ', as a string' : ''}`
    default:
      return type.kind
  }
}

const wordList = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ')

const text = (value: string) => value.replaceAll('|', '\\|').replaceAll('\n', ' ')
