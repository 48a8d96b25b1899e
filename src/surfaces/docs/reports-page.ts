/** The documentation page of the reports, made from the reports themselves and real records of the sample company. */
import { type Group, groups } from '../../groups.js'
import { type Fields, type JsonSchema, schemaOf } from '../../kernel/fields.js'
import type { Report, Shape } from '../../kernel/report.js'

/** The last day of the sample that the examples come from. */
export const EXAMPLE_DAY = '2026-06-30'
const EXAMPLE_RANGE: Record<string, string> = { from_date: '2026-06-01', to_date: EXAMPLE_DAY, date: EXAMPLE_DAY }

export interface Example {
  request: Record<string, unknown>
  /** A record of the answer. */
  record: Record<string, unknown>
}

/** One request for each shape of a report. */
export const exampleRequests = (report: Report): Record<string, unknown>[] =>
  [...report.shapes.keys()].map((shape) =>
    Object.fromEntries(
      Object.entries(report.request).flatMap(([name, param]) => {
        if (name === report.shapedBy) return [[name, shape]]
        if (name in EXAMPLE_RANGE) return [[name, EXAMPLE_RANGE[name]]]
        return param.required ? [[name, param.example]] : []
      }),
    ),
  )

const titles: Record<Group, string> = {
  masters: 'Masters',
  purchase: 'Purchase',
  grn: 'Goods receipts',
  inventory: 'Inventory',
  production: 'Production',
  sales: 'Sales',
  partner: 'Partner',
}

/** `examples` has those of each report, by its id, in the order of `exampleRequests`. */
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

Every report is asked for with \`Authorization: Bearer <token>\` and answers \`{"data": […]}\`; on pages \`_links\` and \`_meta\` stand
beside \`data\`. Decimals are strings with a fixed number of fraction digits, dates \`YYYY-MM-DD\` of the account's time zone. The examples
are the first records of the sample company of ${EXAMPLE_DAY}; \`npx millbook demo\` makes one up to today.

| | |
|---|---|
${contents.join('\n')}

${sections.join('\n')}`
}

const anchor = (id: string) => id.replace('.', '')

function section(report: Report, examples: readonly Example[]): string {
  const { id, method, path, summary, description, request, perPage } = report
  const params = Object.entries(request).map(
    ([name, param]) =>
      `| \`${name}\` | ${form(param.schema)} | ${param.required ? 'yes' : 'no'} | ${text(param.schema['description'])} |`,
  )
  const asked =
    params.length === 0
      ? 'No parameters.\n'
      : `| parameter | value | required | meaning |\n|---|---|---|---|\n${params.join('\n')}\n`
  const pages =
    perPage === undefined
      ? 'All records in one answer, unless `?page=` or `?per-page=` asks for pages.'
      : `${perPage} records on a page.`
  const shapes = [...report.shapes].map(([name, shape], i) =>
    shapeSection(name === '' ? '' : `\`${report.shapedBy}\` ${name}: `, shape, examples[i]),
  )
  return `### ${id}\n\n\`${method} ${path}\`: ${summary}.\n\n${description}\n\n${pages}\n\n${asked}\n${shapes.join('\n')}`
}

function shapeSection(title: string, shape: Shape, example: Example | undefined): string {
  const fields = rows(shape.record, '')
  const shown =
    example === undefined
      ? ''
      : `\n\`\`\`json\n${JSON.stringify(example.request)}\n\`\`\`\n\n\`\`\`json\n${JSON.stringify(example.record, null, 2)}\n\`\`\`\n`
  return `${title}${title === '' ? 'R' : 'r'}ecord:\n\n| field | value | meaning |\n|---|---|---|\n${fields.join('\n')}\n${shown}`
}

function rows(fields: Fields, prefix: string): string[] {
  const properties = schemaOf(fields)['properties'] as Record<string, JsonSchema>
  return Object.entries(fields).flatMap(([name, field]) => {
    const schema = properties[name] as JsonSchema
    const full = `${prefix}${name}`
    if (field.kind === 'scalar') return [`| \`${full}\` | ${form(schema)} | ${text(schema['description'])} |`]
    const what = field.kind === 'nested' ? 'object' : 'array of objects'
    return [
      `| \`${full}\` | ${what} | ${text(field.description)} |`,
      ...rows(field.fields, field.kind === 'nested' ? `${full}.` : `${full}[].`),
    ]
  })
}

/** What a value looks like, in words. */
function form(schema: JsonSchema): string {
  const { anyOf, const: marker, enum: words, format } = schema
  if (Array.isArray(anyOf)) {
    const isMarker = (one: JsonSchema) => Number('const' in one || one['type'] === 'null')
    return anyOf
      .toSorted((a, b) => isMarker(a) - isMarker(b))
      .map(form)
      .join(' or ')
  }
  if (marker !== undefined) return marker === '' ? 'empty' : `\`${marker}\``
  if (Array.isArray(words)) {
    const shown = words.filter((word) => word !== '').map((word) => `\`${word}\``)
    return [...new Set(shown)].join(', ')
  }
  if (format === 'date') return 'date'
  const pattern = String(schema['pattern'] ?? '')
  const digits = /\\d\{(\d+)\}\$$/.exec(pattern)?.[1]
  if (digits !== undefined) return `decimal, ${digits} digits`
  if (/^\^-\?\\d\+\$|^\^\\d\{1,10\}/.test(pattern)) return 'whole number as a string'
  if (pattern.includes('AM|PM')) return '`YYYY-MM-DD HH:MM:SSAM`'
  if (pattern !== '') return pattern.includes('{4}') ? '`YYYY-MM-DD HH:MM:SS`' : '`HH:MM:SS`'
  const kinds: Record<string, string> = { string: 'text', array: 'list of texts' }
  const type = String(schema['type'])
  return kinds[type] ?? type
}

const text = (value: unknown) =>
  String(value ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
