/** Values as text of SQL. */

/** A text as a literal, whatever characters it has. */
export const quoted = (text: string): string =>
  `${text.includes('\\') ? ' E' : ''}'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`

/** A literal without a type, as a bound value has none. */
export function constant(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (!Array.isArray(value)) return quoted(String(value))
  return quoted(`{${value.map((one) => `"${String(one).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`)
}
