/** Checks all stored data against the ledger: derived tables, contradictions and disagreements. */
import type { Database, Queryable } from '../../db/connect.js'
import { checkClosings, rebuildClosings } from '../../ledger/closings.js'
import { commitVersion } from '../../store/commit.js'
import { entities } from '../entities.js'
import { allDisagreements } from './agreements.js'
import { keepAllClosed, staleFigures, wronglyClosed } from './closed-periods.js'
import { allContradictions } from './contradictions.js'
import { allUnconverted, reconvertAll } from './convert.js'
import { allDangling } from './loose-references.js'
import { allMisfits } from './misfits.js'
import { allRows } from './relevant.js'
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

/** Whether the flaw is in the company's own books, and not in data that Millbook derives. */
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
  /** Selects the wrong rows, as one column of text, or finds them. */
  wrong: string | ((tx: Queryable) => Promise<string[]>)
}

const derivedNames: Record<string, string> = {
  stock_closing: 'closings',
  stock_flow: 'sums between closings',
  batch_closing: 'closings of batches',
}

const checksOf = (kind: Finding['kind'], all: readonly { check: string; wrong: { text: string } }[]): Check[] =>
  all.map(({ check, wrong }) => ({ kind, check, wrong: wrong.text }))

const staleClosed: Check = {
  ...{ kind: 'derived', check: 'the kept figures of closed periods differ from the data' },
  wrong: staleFigures,
}

/** Not on a cluster. */
const ofHistory: readonly Check[] = [
  staleClosed,
  ...checksOf('contradiction', allMisfits),
  {
    ...{ kind: 'contradiction', check: 'a figure of a closed period is not what its version knew' },
    wrong: wronglyClosed,
  },
]

export const checks: readonly Check[] = [
  ...checksOf('derived', allUnconverted),
  ...checksOf('contradiction', [...allDangling, ...allContradictions]),
  ...ofHistory,
  ...checksOf('disagreement', [...allDisagreements, ...allDoubts]),
]

export async function verify(
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  { rebuild, onCheck }: VerifyOptions,
): Promise<Finding[]> {
  return await db.begin(rebuild ? '' : engine.checking, async (tx) => {
    const work = await engine.openWork(tx, allRows)
    if (rebuild) {
      await reconvertAll(tx)
      await rebuildClosings(tx)
      if (engine.keepsHistory) await keepAllClosed(tx)
    }
    const findings = await findAll(tx, onCheck, engine.keepsHistory)
    findings.unshift(...differing(await work.checkCopies(rebuild)))
    const changed = await work.store()
    if (rebuild) await commitVersion(tx, engine, changed)
    return findings
  })
}

const differing = (counts: Readonly<Record<string, number>>): Finding[] =>
  Object.entries(counts).flatMap(([table, count]) =>
    count > 0 ? [{ kind: 'derived', check: `copies in ${table} differ`, count, examples: [] }] : [],
  )

/** All findings in the data that a transaction sees. A cluster has no past to check. */
export async function findAll(
  tx: Queryable,
  onCheck: VerifyOptions['onCheck'] = () => {},
  keepsHistory = true,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const checked = keepsHistory ? checks : checks.filter((one) => !ofHistory.includes(one))
  const steps = checked.length + 1
  onCheck('closings', 1, steps)
  for (const [table, count] of Object.entries(await checkClosings(tx)))
    if (count > 0)
      findings.push({ kind: 'derived', check: `${derivedNames[table]} differ from the ledger`, count, examples: [] })
  for (const [i, one] of checked.entries()) {
    onCheck(one.check, i + 2, steps)
    findings.push(...(await find(tx, one)))
  }
  return findings
}

/** The finding of one check, or none. */
export async function find(tx: Queryable, { kind, check, wrong }: Check): Promise<Finding[]> {
  if (typeof wrong !== 'string') {
    const all = await wrong(tx)
    return all.length === 0 ? [] : [{ kind, check, count: all.length, examples: all.slice(0, SHOWN) }]
  }
  const rows = await tx.unsafe<{ wrong: string; total: string }[]>(
    `select wrong, count(*) over () as total from (${wrong}) as found(wrong) order by wrong limit ${SHOWN}`,
  )
  const [first] = rows
  return first === undefined
    ? []
    : [{ kind, check, count: Number(first.total), examples: rows.map((row) => row.wrong) }]
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
