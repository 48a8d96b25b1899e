/** Mappings that are kept under a name, so that next month's files need no new one. */
import type { Queryable, Tx } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { mappingOf } from '../pull/sheets/mapping.js'

export type { MappingObject } from '../pull/sheets/propose/proposal.js'
export { mappingYaml } from '../pull/sheets/propose/text.js'

export interface KeptMapping {
  name: string
  text: string
  changedBy: string
  changedAt: Date
}

export const listMappings = (db: Queryable): Promise<KeptMapping[]> => db<KeptMapping[]>`
  select name, text, changed_by as "changedBy", changed_at as "changedAt" from kept_mapping order by name`

export async function findMapping(db: Queryable, name: string): Promise<KeptMapping> {
  const [found] = await db<KeptMapping[]>`
    select name, text, changed_by as "changedBy", changed_at as "changedAt" from kept_mapping where name = ${name}`
  if (found === undefined) throw new MillbookError(`there is no mapping ${name}`, { kind: 'unknown' })
  return found
}

/** Whether the mapping names every one of these files, and each of its rules names one of them. */
export function fits(text: string, files: readonly string[]): boolean {
  const patterns = mappingOf(text, 'the mapping').sheets.map(({ file }) => file)
  return (
    files.length > 0 &&
    files.every((name) => patterns.some((pattern) => pattern.test(name))) &&
    patterns.every((pattern) => files.some((name) => pattern.test(name)))
  )
}

/** Keeps a mapping under its name; it replaces an earlier one of that name. */
export async function keepMapping(tx: Tx, name: string, text: string, by: string): Promise<void> {
  checkMappingName(name)
  mappingOf(text, 'the mapping')
  await tx`
    insert into kept_mapping (name, text, changed_by) values (${name}, ${text}, ${by})
    on conflict (name) do update set text = excluded.text, changed_by = excluded.changed_by, changed_at = clock_timestamp()`
}

export async function removeMapping(tx: Tx, name: string): Promise<void> {
  const removed = await tx`delete from kept_mapping where name = ${name} returning 1`
  if (removed.length === 0) throw new MillbookError(`there is no mapping ${name}`, { kind: 'unknown' })
}

export function checkMappingName(name: string): void {
  if (!/^(?!\s)[^\p{Cc}]{1,60}(?<!\s)$/u.test(name) || !name.isWellFormed())
    throw new MillbookError('the name of a mapping has 1 to 60 characters, without spaces at its ends')
}
