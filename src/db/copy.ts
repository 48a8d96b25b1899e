/** COPY: the fast way to put many rows into a table, the same on both engines. */
import { from } from 'pg-copy-streams'
import type { Queryable } from './db.js'
import { identifier } from './sql.js'

/** One row in COPY's text format. */
export const copyLine = (row: readonly (string | null)[]): string => `${row.map(copyText).join('\t')}\n`

/** One value in COPY's text format. */
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
 * Copies lines of COPY's text format; rejects with the server's error. Send a few megabytes at a time: the embedded engine
 * buffers all lines before it runs the statement. `onSent` is called when all lines have been sent.
 */
export async function copyRows(
  db: Queryable,
  table: string,
  columns: readonly string[],
  lines: Buffer | string,
  onSent: () => void = () => {},
): Promise<void> {
  const into = `${table} (${columns.map((name) => identifier(name).text).join(', ')})`
  const { client, release } = await db.lease()
  try {
    await client.guard(
      () =>
        new Promise<void>((resolve, reject) => {
          const stream = client.query(from(`copy ${into} from stdin`))
          let failed = false
          stream.once('finish', resolve) // the server has confirmed the rows
          stream.on('error', (error) => {
            failed = true
            reject(error)
          })
          stream.write(lines, () => {
            if (failed) return // ending the stream would now throw: it has dropped its connection
            stream.end()
            onSent()
          })
        }),
    )
  } finally {
    release()
  }
}
