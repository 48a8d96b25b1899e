/** `millbook pull --init NAME`: writes a new connector in which every query is a comment. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MillbookError } from '../errors.js'
import type { Column } from '../import/columns.js'
import { entities } from '../import/entities.js'
import type { Entity } from '../import/entity.js'
import { dialects } from './url.js'

export function writeSkeleton(folder: string): string[] {
  if (existsSync(folder)) throw new MillbookError(`${folder} is there already; name another folder`)
  mkdirSync(folder, { recursive: true })
  const files = entities.map((entity): [string, string] => [`${entity.name}.sql`, queryOf(entity)])
  for (const [name, text] of [['connector.json', description()] as const, ...files])
    writeFileSync(join(folder, name), text)
  return files.map(([name]) => name)
}

const description = () =>
  `${JSON.stringify(
    {
      about: 'The source, and the data that is pulled from it.',
      tried: 'The version of the source that it was tried with.',
      dialect: Object.keys(dialects)[0],
      parameters: {},
    },
    null,
    2,
  )}\n`

/** While a file has only comments, its entity is left out of the pull. */
function queryOf({ name, about, key, columns }: Entity): string {
  const all = Object.entries(columns as Record<string, Column>)
  const width = Math.max(...all.map(([column]) => column.length))
  const lines = all.map(([column, { description, expects, required, fallback }], i) => {
    const need = required ? 'required' : !fallback ? 'may be null' : `may be null: then ${fallback}`
    return `--   ${i === 0 ? ' ' : ','} null as ${column.padEnd(width)}  -- ${description} ${capital(expects)}; ${need}.`
  })
  return `-- ${name}: ${about}
-- ${key.length === 0 ? 'One row.' : `Key: ${key.join(', ')}; the query returns each key once.`}
-- Remove the comment signs, replace null by the source's columns, and name its tables.
-- Columns that may be null can be left out. Without this file, stored rows of ${name} stay as they are.

-- select
${lines.join('\n')}
-- from
-- order by 1
`
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
