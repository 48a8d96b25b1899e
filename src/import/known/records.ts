/** The notes of earlier loads about the stored rows, in loaded_file and loaded_rows. */
import { createHash } from 'node:crypto'
import type { Queryable } from '../../db/connect.js'
import type { Entity } from '../entity.js'
import { RowHashes } from './row-hashes.js'

export interface LoadedFile {
  readonly entity: string
  /** The fingerprint of the last loaded file; null for another source, or a file that changed while it was read. */
  readonly fingerprint: string | null
  readonly fileRows: number
  /** Whether there is a hash for every row of the table. */
  readonly complete: boolean
  readonly rowHashes: number
}

export const loadedFiles = async (db: Queryable): Promise<Map<string, LoadedFile>> =>
  new Map(
    (
      await db<LoadedFile[]>`
        select entity, fingerprint, file_rows::float8 as "fileRows", row_hashes::float8 as "rowHashes", complete
          from loaded_file`
    ).map((file) => [file.entity, file]),
  )

export async function rowHashesOf(db: Queryable, entity: string): Promise<RowHashes> {
  const parts = await db<{ hashes: string }[]>`
    select encode(hashes, 'hex') as hashes from loaded_rows where entity = ${entity}`
  return new RowHashes(parts.map(({ hashes }) => Buffer.from(hashes, 'hex')))
}

export async function noteLoaded(tx: Queryable, file: LoadedFile, hashes: RowHashes): Promise<void> {
  const { entity, fingerprint, fileRows, complete } = file
  const parts = hashes.changedParts()
  if (parts.size > 0) {
    await tx`delete from loaded_rows where entity = ${entity} and part = any(${[...parts.keys()]}::int[])`
    for (const [part, bytes] of parts)
      if (bytes.length > 0)
        await tx`insert into loaded_rows values (${entity}, ${part}, decode(${bytes.toString('hex')}, 'hex'))`
  }
  await tx`delete from loaded_file where entity = ${entity}`
  await tx`insert into loaded_file (entity, fingerprint, file_rows, row_hashes, complete)
           values (${entity}, ${fingerprint}, ${fileRows}, ${hashes.count}, ${complete})`
}

/** The next load reads the files of these entities as if none had been loaded before. */
export async function forgetLoaded(tx: Queryable, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await tx`delete from loaded_rows where entity = any(${names}::text[])`
  await tx`delete from loaded_file where entity = any(${names}::text[])`
}

/** Changes when a new version of the program would read other rows from the same file. */
export const definitionOf = ({ columns, key }: Entity): string =>
  createHash('sha256')
    .update(
      JSON.stringify([key, Object.entries(columns).map(([name, { sqlType, fallback }]) => [name, sqlType, fallback])]),
    )
    .digest('hex')
