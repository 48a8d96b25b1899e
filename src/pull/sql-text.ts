/** What is done with the text of a connector's queries. */

/** A text literal of standard SQL. */
export const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** The query without a semicolon at its end; undefined if there is nothing but comments. */
export function queryIn(text: string): string | undefined {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/--.*$/gm, '')
    .trim()
  if (code === '') return undefined
  return text.replace(/;\s*$/, '')
}

/** Puts literals in place of `:name`, for the given names only: `::text` and `12:30` stay. */
export const withParameters = (text: string, literals: Readonly<Record<string, string>>): string =>
  text.replace(/(?<![:\w]):([a-z_]+)\b/g, (found, name: string) => literals[name] ?? found)
