/** The file in which a job keeps the token of its last run. */
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

/** The token to ask with; `start` if there is no file yet. */
export function readToken(file: string, report: string, params: Readonly<Record<string, unknown>>): string {
  if (!existsSync(file)) return START
  let kept: Kept
  try {
    kept = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof kept?.token !== 'string') throw new Error('no token')
  } catch {
    throw new MillbookError(`${file} has no token of millbook report; name another file, or remove it to begin again`)
  }
  const [was, is] = [kept, { report, params }].map(({ report, params }) => JSON.stringify([report, params]))
  if (was !== is)
    throw new MillbookError(
      `${file} follows ${kept.report} with ${JSON.stringify(kept.params)}, not ${report} with ${JSON.stringify(params)}; use a file for each, and fixed days`,
    )
  return kept.token
}

/** Replaces the file at once, when the changes are safe. */
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
