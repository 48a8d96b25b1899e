/** Reads the text of a connector's queries, and puts parameters into it. */
import type { Dialect } from './source.js'

/** A text literal of standard SQL. */
export const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`

const COMMENT = String.raw`--[^\n]*|/\*[\s\S]*?\*/`
/** A text with a doubled quote looks like two texts here, which does no harm. */
const STANDARD = `'[^']*'|"[^"]*"`
const WITH_BACKSLASHES = String.raw`'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"`
/** Comments, and texts and names in quotes. */
const APART: Readonly<Record<Dialect, { comment: string; quotes: string }>> = {
  postgres: {
    comment: COMMENT,
    quotes: String.raw`\b[eE]'(?:[^'\\]|\\[\s\S])*'|(?<tag>\$\w*\$)[\s\S]*?\k<tag>|${STANDARD}`,
  },
  mysql: { comment: `${COMMENT}|#[^\\n]*`, quotes: `${WITH_BACKSLASHES}|\`[^\`]*\`` },
  sqlite: { comment: COMMENT, quotes: `${STANDARD}|\`[^\`]*\`` },
  sqlserver: { comment: COMMENT, quotes: STANDARD },
}

/** The query without semicolons and comments at its end; undefined if there is nothing but comments. */
export function queryIn(text: string, dialect: Dialect): string | undefined {
  const { comment, quotes } = APART[dialect]
  const pieces = text.matchAll(new RegExp(String.raw`(?<blank>${comment}|[\s;]+)|${quotes}|[^]`, 'g'))
  let end = 0
  for (const { 0: piece, index, groups } of pieces) if (groups?.['blank'] === undefined) end = index + piece.length
  return end === 0 ? undefined : text.slice(0, end)
}

/** The reason to refuse a query: SQLite would skip a second statement, and take an undeclared parameter for null. */
export function complaintAbout(query: string, dialect: Dialect, parameters: readonly string[]): string | undefined {
  const { comment, quotes } = APART[dialect]
  const others = dialect === 'sqlite' ? String.raw`[@$]\w+|\?\d*` : '(?!)'
  const pattern = String.raw`${comment}|${quotes}|(?<end>;)|(?<![:\w[]):(?<name>[A-Za-z_]\w*)|(?<other>${others})`
  for (const { groups } of query.matchAll(new RegExp(pattern, 'g'))) {
    const { end, name, other } = groups ?? {}
    if (end !== undefined) return 'it has more than one statement; write one query, which may begin with "with"'
    if (other !== undefined) return `it uses ${other}; parameters are written :name, and connector.json declares them`
    if (name !== undefined && !parameters.includes(name))
      return `it uses :${name}, which connector.json does not declare`
  }
  return undefined
}

/** Puts literals in place of `:name`, for the given names only, outside of quotes and comments: `::text` and `12:30` stay. */
export function withParameters(text: string, literals: Readonly<Record<string, string>>, dialect: Dialect): string {
  const { comment, quotes } = APART[dialect]
  const pattern = new RegExp(String.raw`${comment}|${quotes}|(?<![:\w]):(?<name>[a-z_]+)\b`, 'g')
  return text.replace(pattern, (found, ...rest) => {
    const { name = '' } = rest.at(-1) as Record<string, string | undefined>
    return Object.hasOwn(literals, name) ? (literals[name] as string) : found
  })
}
