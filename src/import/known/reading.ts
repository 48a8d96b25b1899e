/** Decides which parts of a source a load reads, and notes afterwards which it has read (docs/decisions/0027). */
import type { Queryable } from '../../db/connect.js'
import { identifier } from '../../db/sql.js'
import type { Counts } from '../../ledger/write.js'
import { entities } from '../entities.js'
import type { Entity } from '../entity.js'
import type { Part, Source } from '../source.js'
import { definitionOf, forgetLoaded, type LoadedFile, loadedFiles, noteLoaded, rowHashesOf } from './records.js'
import { RowHashes } from './row-hashes.js'

/** A part that is read. */
export interface ReadPart {
  readonly part: Part
  readonly hashes: RowHashes
  /** Whether to skip rows that are stored unchanged. */
  readonly compare: boolean
  /** The note of the load before. */
  readonly before: LoadedFile | undefined
  readonly fingerprint: string | null
}

export interface Reading {
  readonly read: readonly ReadPart[]
  /** Parts whose rows are all stored, with their number of rows. */
  readonly unread: ReadonlyMap<Part, number>
}

/** The entities whose rows decide the meaning of cells in an entity's file: it looks them up by more than their key. */
export const readsFrom = ({ columns, readsFrom = [] }: Entity): ReadonlySet<string> =>
  new Set([...readsFrom, ...Object.values(columns).flatMap(({ lookup }) => (lookup?.changeable ? lookup.entity : []))])

export async function planReading(
  db: Queryable,
  { parts, again }: Source,
  { readAll, replaced }: { readonly readAll: boolean; readonly replaced: ReadonlySet<string> },
): Promise<Reading> {
  const known = await loadedFiles(db)
  const unread = new Map<Part, number>()
  const read: ReadPart[] = []
  const names = new Set<string>()
  for (const part of parts) {
    const { entity } = part
    const before = known.get(entity.name)
    const print = await part.fingerprint?.()
    const fingerprint = print === undefined ? null : `${print} ${definitionOf(entity)}`
    // Parts come in load order, each after the parts that it reads from.
    const isSettled = !readAll && [...readsFrom(entity)].every((name) => !names.has(name))
    const isReplaced = replaced.has(entity.name)
    const isWhole = before?.complete && before.rowHashes === before.fileRows
    if (isSettled && before !== undefined && fingerprint === before.fingerprint && fingerprint !== null)
      if (!isReplaced || isWhole) {
        unread.set(part, before.fileRows)
        continue
      }
    names.add(entity.name)
    const hashes = before === undefined ? new RowHashes() : await rowHashesOf(db, entity.name)
    const compare = isSettled && again === true && before !== undefined && (!isReplaced || before.complete)
    read.push({ part, hashes, compare, before, fingerprint })
  }
  return { read, unread }
}

/** To be called at the end of a load, in its transaction. The next load reads parts as a whole of which rejected rows keep stored ones. */
export async function noteReading(
  tx: Queryable,
  { read }: Reading,
  rows: (part: Part) => number,
  counts: Readonly<Record<string, Counts>>,
  replaced: ReadonlySet<string>,
  keepsRows: (part: Part) => boolean,
): Promise<void> {
  for (const { part, hashes, before, fingerprint } of read) {
    const { name: entity, table } = part.entity
    if (keepsRows(part)) continue
    const isReplaced = replaced.has(entity)
    const known = isReplaced && hashes.unseen > 0 ? hashes.seenOnly() : hashes
    const isSteady = (await part.unchanged?.()) ?? false
    const complete =
      !known.tooMany &&
      (isReplaced || (before === undefined ? (await countOf(tx, table)) === known.count : before.complete))
    const about = { entity, fileRows: rows(part), rowHashes: known.count, complete }
    await noteLoaded(tx, { ...about, fingerprint: isSteady ? fingerprint : null }, known)
  }
  const wasRead = new Set(read.map(({ part }) => part.entity.name))
  const changed = new Set(
    Object.keys(counts).filter((name) => {
      const { new: added, changed, removed } = counts[name] as Counts
      return added + changed + removed > 0
    }),
  )
  const stale = entities.filter(
    (entity) => !wasRead.has(entity.name) && [...readsFrom(entity)].some((name) => changed.has(name)),
  )
  await forgetLoaded(
    tx,
    [...stale, ...read.flatMap(({ part }) => (keepsRows(part) ? [part.entity] : []))].map(({ name }) => name),
  )
}

async function countOf(tx: Queryable, table: string): Promise<number> {
  const [row] = await tx.unsafe<{ n: number }[]>(`select count(*)::float8 as n from ${identifier(table).text}`)
  return row?.n ?? 0
}
