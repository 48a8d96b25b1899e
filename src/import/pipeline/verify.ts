/** Checks everything that is stored against the ledger: derived tables, contradictions and disagreements. */
import { commitVersion, copies, isDistributed } from '../../db/cluster.js'
import type { Db, Queryable, Tx } from '../../db/connect.js'
import { checkClosings, derivedTables, rebuildClosings } from '../../ledger/closings.js'
import { openWork } from '../cluster/work.js'
import { entities } from '../entities.js'
import { allDisagreements } from './agreements.js'
import { allContradictions } from './contradictions.js'
import { allUnconverted, reconvertAll } from './convert.js'
import { allDangling } from './loose-references.js'
import { allDoubts } from './warnings.js'

export interface Finding {
  /** `--rebuild` repairs `derived`; a load refuses a contradiction and warns of a disagreement. */
  kind: 'derived' | 'contradiction' | 'disagreement'
  check: string
  /** How many rows it concerns. */
  count: number
  /** Some of them. */
  examples: string[]
}

/** Whether the company's own books are like that: nothing that Millbook derives or stores is wrong. */
export const isOddity = ({ kind }: Pick<Finding, 'kind'>): boolean => kind === 'disagreement'

/** All findings in one sentence. */
export function summary(findings: readonly Finding[]): string {
  const broken = findings.filter((finding) => !isOddity(finding)).length
  const odd = findings.length - broken
  const notes = odd === 0 ? '' : `${odd} ${odd === 1 ? 'note' : 'notes'} about the company’s own books`
  if (broken > 0) return `${broken} of the checks failed${notes && `, and ${notes}`}`
  return notes === '' ? 'everything agrees with the ledger' : `nothing is broken; ${notes}`
}

export interface VerifyOptions {
  /** Convert all documents and derive the closings again first. */
  rebuild: boolean
  /** Called before each check, with its position among all checks. */
  onCheck?: (check: string, at: number, of: number) => void
}

const SHOWN = 10

interface Check {
  kind: Finding['kind']
  check: string
  /** Selects what is wrong, as one column of text. */
  wrong: string
}

const derivedNames: Record<string, string> = {
  stock_closing: 'closings',
  stock_flow: 'sums between closings',
  batch_closing: 'closings of batches',
}

const checksOf = (kind: Finding['kind'], all: readonly { check: string; wrong: { text: string } }[]): Check[] =>
  all.map(({ check, wrong }) => ({ kind, check, wrong: wrong.text }))

export const checks: readonly Check[] = [
  ...checksOf('derived', allUnconverted),
  ...checksOf('contradiction', [...allDangling, ...allContradictions]),
  ...checksOf('disagreement', [...allDisagreements, ...allDoubts]),
]

export async function verify(db: Db, options: VerifyOptions): Promise<Finding[]> {
  const [known] = await db<{ distributed: boolean }[]>`select ${isDistributed} as distributed`
  return await (known?.distributed ? verifyCluster : verifyServer)(db, options)
}

/** On local tables with all rows: few checks are of rows that lie together. */
const verifyCluster = (db: Db, { rebuild, onCheck }: VerifyOptions): Promise<Finding[]> =>
  db.begin(async (tx) => {
    const work = await openWork(tx, 'all')
    if (rebuild)
      await rebuildAll(
        tx,
        copies.map(({ table }) => table),
      )
    const findings = await findAll(tx, onCheck)
    if (rebuild) await work.rewriteCopies()
    findings.unshift(...differing(await work.differingCopies()))
    await work.writeBack()
    if (rebuild) await commitVersion(tx)
    return findings
  }) as Promise<Finding[]>

const verifyServer = (db: Db, { rebuild, onCheck }: VerifyOptions): Promise<Finding[]> =>
  db.begin(rebuild ? '' : 'isolation level repeatable read read only', async (tx) => {
    if (rebuild) await rebuildAll(tx)
    return await findAll(tx, onCheck)
  }) as Promise<Finding[]>

const differing = (counts: Readonly<Record<string, number>>): Finding[] =>
  Object.entries(counts).flatMap(([table, count]) =>
    count > 0 ? [{ kind: 'derived', check: `copies in ${table} differ`, count, examples: [] }] : [],
  )

/** Converts all documents and derives the closings again, as a new version; `more` tables change with them. */
async function rebuildAll(tx: Tx, more: readonly string[] = []): Promise<void> {
  const converted = await reconvertAll(tx)
  await rebuildClosings(tx)
  await tx`update data_version set version = version + 1, committed_at = now(),
                                   changed = ${[...converted, ...more, ...Object.keys(derivedTables)]}`
}

/** Everything that is wrong with the data that a transaction sees. */
export async function findAll(tx: Queryable, onCheck: VerifyOptions['onCheck'] = () => {}): Promise<Finding[]> {
  const findings: Finding[] = []
  const steps = checks.length + 1
  onCheck('closings', 1, steps)
  for (const [table, count] of Object.entries(await checkClosings(tx)))
    if (count > 0)
      findings.push({ kind: 'derived', check: `${derivedNames[table]} differ from the ledger`, count, examples: [] })
  for (const [i, { kind, check, wrong }] of checks.entries()) {
    onCheck(check, i + 2, steps)
    const rows = await tx.unsafe<{ wrong: string; total: string }[]>(
      `select wrong, count(*) over () as total from (${wrong}) as found(wrong) order by wrong limit ${SHOWN}`,
    )
    if (rows.length > 0)
      findings.push({ kind, check, count: Number(rows[0]?.total), examples: rows.map((row) => row.wrong) })
  }
  return findings
}

/** How much `verify` has checked. */
export interface Verified {
  movements: number
  closings: number
  documents: number
}

const documents = entities.filter(({ document }) => document).map(({ table }) => table)

export async function countVerified(db: Queryable): Promise<Verified> {
  const rows = (tables: string[]) => tables.map((table) => `(select count(*)::int from ${table})`).join(' + ')
  const [counts] = await db.unsafe<Verified[]>(
    `select ${rows(['stock_movement'])} as movements, ${rows(['stock_closing'])} as closings,
            ${rows(documents)} as documents`,
  )
  return counts as Verified
}
