/** A PostgreSQL server: one transaction, repeatable read, read only. */
import { openForeign } from '../../db/foreign.js'
import type { PullSource } from '../source.js'
import { quoted } from '../sql-text.js'

export async function openPostgres(url: string): Promise<PullSource> {
  const { rows, close } = await openForeign(url)
  return { query: rows, literal: quoted, close }
}
