/** The documentation page of the import, made from the entities. */
import { agreements } from './agreement.js'
import { contradictions } from './contradictions.js'
import { entities } from './entities/index.js'
import type { Entity } from './entity.js'
import { LONGEST_ROW } from './readers/text.js'

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
  \`--replace ENTITY\` makes a file the whole truth: rows that it does not have are removed. A goods receipt or an invoice
  moves to another order only so, together with its lines (\`--replace goods_receipts,goods_receipt_items\`).
- **\`--dry-run\`** does everything but commit. **\`--json\`** prints one line of JSON. The exit code is not 0 where there is an error.
- **While the service runs.** Readers see the old data until the load has committed, then the new. On the embedded database
  they wait while rows are merged, which is the last part of a load. A second load waits for the first.
- **Contradictions** with rows that the load did not bring are errors as well; see below.
- **Warnings** are printed and do not stop a load: documents and a ledger that disagree (see below), more received than
  ordered, totals that differ from their parts.

## Cells

CSV is UTF-8, with or without a byte order mark, with quotes where needed, and its first line names the columns in any order.
An empty cell is no value; \`""\` is an empty text. In JSONL each line is an object whose members are the columns; \`null\` or a
missing member is no value. A row of either has at most ${LONGEST_ROW} characters. Decimals are exact: \`1234.5\`, without thousands separators, exponents or signs of currency; a JSON
number of more than 15 digits has to be a string. Dates are \`YYYY-MM-DD\`, times \`YYYY-MM-DD HH:MM:SS\` of the account's own clock.
A date may end in \` 00:00:00\`.

Parquet columns have text or the type that fits: whole numbers, decimals of any precision, dates, times, timestamps, booleans,
lists of texts. A timestamp is taken as it is stored, without a change of its time zone; parts of a second are left off.
`

const list = (checks: readonly { check: string }[]) => checks.map(({ check }) => `- ${check}`).join('\n')

const TOGETHER = `## What belongs together

A change of one entity can make stored rows of another wrong: a batch that is no longer a produced one under its
consumption, an order line that gets another item after goods were issued for it. A load is refused if after it

${list(contradictions)}

The error is on the line that brought it about. Where \`--replace\` did so by removing a row, it is on line 1; in each case the
message names the rows that contradict each other.

Documents and the ledger say some things twice. Real books contain differences, so a load only warns, of those among the
documents and items that it touches, if

${list(agreements)}

An issued combo is one that was issued packed, or whose components were all issued. \`millbook verify\` looks for all of this
in everything that is stored, besides holding the closings against the ledger, and its exit code is not 0 where it finds
any. Its findings are of the kind \`derived\` (\`--rebuild\` mends them), \`contradiction\` or \`disagreement\`.
`

export function importPage(): string {
  const each = entities.map(section).join('\n')
  return `${INTRODUCTION}\n${TOGETHER}\n## Entities\n\nIn the order in which they are loaded.\n\n${each}`
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
