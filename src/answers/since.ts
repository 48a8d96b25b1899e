/** The file in which `millbook report --since` keeps the token of its last run. */
import { existsSync, readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { MillbookError } from '../errors.js'
import { START } from '../kernel/answer/feeds.js'

interface Kept {
  readonly report: string
  readonly params: Readonly<Record<string, unknown>>
  readonly token: string
  readonly version: string
  readonly at: string
}

/** The token to send; `start` if there is no file yet. */
export function readToken(file: string, report: string, params: Readonly<Record<string, unknown>>): string {
  if (!existsSync(file)) return START
  let kept: Kept
  try {
    kept = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof kept?.token !== 'string') throw new Error('no token')
  } catch {
    throw new MillbookError(
      `${file} has no token of millbook report; name another file, or delete it to fetch the whole report again`,
    )
  }
  const [was, is] = [kept, { report, params }].map(({ report, params }) => JSON.stringify([report, params]))
  if (was !== is)
    throw new MillbookError(
      `${file} has the token of ${kept.report} with ${JSON.stringify(kept.params)}, not of ${report} with ${JSON.stringify(params)}; use another file for each report, and the same days in every run`,
    )
  return kept.token
}

/** Replaces the file atomically, after the changes are written. */
export async function writeToken(file: string, kept: Omit<Kept, 'at'>): Promise<void> {
  const part = `${file}.${process.pid}.part`
  const handle = await open(part, 'w')
  try {
    await handle.writeFile(`${JSON.stringify({ ...kept, at: new Date().toISOString() })}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(part, file)
}
