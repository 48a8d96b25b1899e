/** COPY: the fast way to put many rows into a table, the same on both engines. */
import { setImmediate } from 'node:timers/promises'
import type { Queryable } from './connect.js'
import { identifier } from './sql.js'

/** One row in COPY's text format; null is null. */
export const copyLine = (row: readonly (string | null)[]): string => `${row.map(copyText).join('\t')}\n`

/** One value of it. */
export const copyText = (value: string | null): string =>
  value === null
    ? '\\N'
    : SPECIAL.test(value)
      ? value.replace(EACH_SPECIAL, (letter) => ESCAPES[letter] as string)
      : value

const SPECIAL = /[\\\b\f\n\r\t\v]/
const EACH_SPECIAL = new RegExp(SPECIAL, 'g')
const ESCAPES: Record<string, string> = {
  ...{ '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v' },
}

/**
 * Copies lines of COPY's text format. Keep them to some megabytes: the embedded engine runs the statement when it has all
 * of them. To be called inside a transaction, because the driver does not tell of a COPY that fails at its end; the
 * statement after it does. `onSent` is called when all lines are on their way.
 */
export async function copyRows(
  tx: Queryable,
  table: string,
  columns: readonly string[],
  lines: Buffer | string,
  onSent: () => void = () => {},
): Promise<void> {
  const into = `${table} (${columns.map((name) => identifier(name).text).join(', ')})`
  const stream = await tx.unsafe(`copy ${into} from stdin`).writable()
  stream.on('error', () => {}) // told by the write
  await new Promise<void>((resolve, reject) => stream.write(lines, (error) => (error ? reject(error) : resolve())))
  stream.end()
  await setImmediate() // the driver takes the next statement only once it has sent the end
  const copied = tx`select 1 as copied`.execute()
  onSent()
  await copied
}
