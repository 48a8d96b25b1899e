/** The documentation page of the import, made from the entities. */
import { entities } from './entities/index.js'
import type { Entity } from './entity.js'
import { LONGEST_ROW } from './text.js'

const INTRODUCTION = `# Importing data

<!-- Made by \`npm run docs\` from src/import/entities/. Do not edit. -->

\`millbook import DIR\` loads the business data of the account from the files in a folder, one file per entity:
\`items.csv\`, \`stock_movements.parquet\` and so on, as \`.csv\`, \`.jsonl\` or \`.parquet\`, in any mix. Files that are not there
are not touched. \`millbook import --template DIR\` writes a blank CSV file for each entity.

- **All or nothing.** One error, and nothing of the load is stored. Every error is printed with file, line, column, value
  and what is expected; the first hundred are shown and all are counted. Cells are looked at first; once all of them are
  right, rows are held against each other and against what is stored.
- **Again and again.** Rows are matched by their key. A new key is a new row, a changed row replaces the old one as a whole,
  the same row changes nothing, and a load that changes nothing makes no new version of the data.
  \`--replace ENTITY\` makes a file the whole truth: rows that it does not have are removed.
- **\`--dry-run\`** does everything but commit. **\`--json\`** prints one line of JSON. The exit code is not 0 where there is an error.
- **While the service runs.** Readers see the old data until the load has committed, then the new. On the embedded database
  they wait while rows are merged, which is the last part of a load. A second load waits for the first.
- **Warnings** are printed and do not stop a load: stock that goes negative, more received than ordered, totals that differ
  from their parts.

## Cells

CSV is UTF-8, with or without a byte order mark, with quotes where needed, and its first line names the columns in any order.
An empty cell is no value; \`""\` is an empty text. In JSONL each line is an object whose members are the columns; \`null\` or a
missing member is no value. A row of either has at most ${LONGEST_ROW} characters. Decimals are exact: \`1234.5\`, without thousands separators, exponents or signs of currency; a JSON
number of more than 15 digits has to be a string. Dates are \`YYYY-MM-DD\`, times \`YYYY-MM-DD HH:MM:SS\` of the account's own clock.
A date may end in \` 00:00:00\`.

Parquet columns have text or the type that fits: whole numbers, decimals of any precision, dates, times, timestamps, booleans,
lists of texts. A timestamp is taken as it is stored, without a change of its time zone; parts of a second are left off.
`

export function importPage(): string {
  return `${INTRODUCTION}\n## Entities\n\nIn the order in which they are loaded.\n\n${entities.map(section).join('\n')}`
}

function section({ name, about, key, columns, rules = [], references = [] }: Entity): string {
  const rows = Object.entries(columns).map(([column, { required, fallback, expects, description, lookup }]) => {
    const reference = references.find((reference) => reference.columns[0] === column)
    const target = lookup?.entity ?? reference?.entity
    const otherwise = required ? 'required' : fallback === null || fallback === '' ? '' : `\`${fallback}\``
    return `| \`${column}\` | ${cell(expects)} | ${otherwise} | ${cell(description)}${target ? ` In \`${target}\`.` : ''} |`
  })
  const keyed = key.length === 0 ? '' : `Key: ${key.map((column) => `\`${column}\``).join(', ')}.\n\n`
  const demands = rules.map(({ column, expects }) => `- \`${column}\`: ${expects}.`)
  return [
    `### ${name}\n\n${about}\n\n${keyed}| column | value | if empty | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`,
    ...(demands.length > 0 ? [`\nFurther:\n\n${[...new Set(demands)].join('\n')}\n`] : []),
  ].join('')
}

const cell = (text: string) => text.replaceAll('|', '\\|')
