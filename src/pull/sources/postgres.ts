/** A PostgreSQL server: one transaction, repeatable read, read only. */
import { openForeign } from '../../db/foreign.js'
import type { PullSource } from '../source.js'
import { quoted } from '../sql-text.js'
import { postgresStamps } from './postgres-stamp.js'

export async function openPostgres(url: string): Promise<PullSource> {
  const foreign = await openForeign(url)
  return { query: foreign.rows, literal: quoted, stamp: postgresStamps(foreign), close: foreign.close }
}
