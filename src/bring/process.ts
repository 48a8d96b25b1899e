/**
 * The separate process that looks at files which a browser sent, loads them, or takes a load back; it ends with its parent. In the
 * service, reading would delay requests.
 */
import { connect, type Database, lockLoads, type Target } from '../db/connect.js'
import { sampleCompany } from '../demo/sample.js'
import { inWords, MillbookError } from '../errors.js'
import { giveWay } from '../import/give-way.js'
import { load, type Progress } from '../import/pipeline/load.js'
import { findFiles } from '../import/readers/folder.js'
import type { Source } from '../import/source.js'
import { undoLoad } from '../import/undo/undo.js'
import type { Account } from '../pull/sheets/account.js'
import { mappingOf } from '../pull/sheets/mapping.js'
import { Masters } from '../pull/sheets/masters.js'
import type { Proposal } from '../pull/sheets/propose/proposal.js'
import { propose } from '../pull/sheets/propose/propose.js'
import { mappingObject, proposalText } from '../pull/sheets/propose/text.js'
import { openSheets } from '../pull/sheets/rows.js'
import { type Figures, readFigures } from './figures.js'
import { requireEmpty } from './sample.js'
import type { Action, BringResult } from './state.js'

export interface Job {
  action: Action
  target: Target
  folder: string
  /** The text of the mapping; null for files of an import. */
  mapping: string | null
  /** Its name, for the log of loads. */
  named: string | null
  replace: readonly string[]
  errorsShown: number
  actor: string
  /** The version of the data that an undo takes back. */
  version: number | null
}

export type Message = { waiting: true } | { progress: Progress } | { result: BringResult } | Look | Failure

/** The result of a look; `text` is the proposed mapping with its doubts as comments, undefined if there is a mapping. */
export interface Look {
  proposal: Proposal
  text?: string
}

export interface Failure {
  /** For the operator. */
  failed: string
  /** For the log, if it is a fault of the program. */
  cause?: string
}

const PROGRESS_MS = 200

/** A fifth of the sample of `npm start`: it is there in seconds. */
const SAMPLE_SCALE = 0.3
const SAMPLE_MONTHS = 12

const send = (message: Message) => new Promise<void>((sent) => process.send?.(message, () => sent()))

async function run(job: Job): Promise<Message> {
  return job.action === 'look' ? await look(job) : { result: await change(job) }
}

/** Reads only: it does not wait for a running load. */
async function look({ target, folder, mapping }: Job): Promise<Look> {
  void send({ progress: { phase: 'reading', what: 'the files', done: 0, rows: 0 } })
  const database = await connect(target)
  try {
    const masters = await Masters.stored(database.db)
    if (mapping !== null)
      return { proposal: await propose(folder, { masters, mapping: mappingObject(mapping, 'the mapping') }) }
    const proposal = await propose(folder, { masters })
    return { proposal, ...(proposal.tables.some(({ rules }) => rules.length > 0) && { text: proposalText(proposal) }) }
  } finally {
    await database.close()
  }
}

async function change(job: Job): Promise<BringResult> {
  const release = await lockLoads(job.target, () => void send({ waiting: true }))
  try {
    const database = await connect(job.target)
    try {
      if (job.action === 'sample') await requireEmpty(database.db)
      return await (job.action === 'undo' ? takeBack : bringIn)(database, job)
    } finally {
      await database.close()
    }
  } finally {
    await release()
  }
}

async function bringIn(database: Database, { action, actor, errorsShown, ...job }: Job): Promise<BringResult> {
  let [shownAt, phase] = [0, '']
  const onProgress = (progress: Progress) => {
    if (Date.now() - shownAt < PROGRESS_MS && progress.phase === phase) return
    ;[shownAt, phase] = [Date.now(), progress.phase]
    void send({ progress })
  }
  const before = await readFigures(database.db)
  let after: Figures | undefined
  const { source, replace, account, close } = action === 'sample' ? sample() : await sourceOf(database, job)
  try {
    const result = await load(database, source, {
      ...{ dryRun: action === 'try', replace, errorsShown, actor, onProgress },
      onMerged: async (tx) => {
        after = await readFigures(tx)
      },
    })
    const { committed, rows, entities, errors, warnings, dataVersion } = result
    return {
      ...{ committed, rows, entities, errors, warnings, version: dataVersion },
      ...{ account: account?.() ?? null, figures: after === undefined ? null : { before, after } },
    }
  } finally {
    await close()
  }
}

/** The sample's days are those of its country, as in `npm start`. */
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format()

const sample = (): Opened => ({
  source: sampleCompany({ today: today(), scale: SAMPLE_SCALE, months: SAMPLE_MONTHS }),
  ...{ replace: [], close: async () => {} },
})

async function takeBack(database: Database, { version, actor }: Job): Promise<BringResult> {
  const before = await readFigures(database.db)
  let after = before
  const undone = await undoLoad(database, version ?? 0, {
    actor,
    onProgress: (what, done) => void send({ progress: { phase: 'merging', what, done, rows: 0 } }),
    onRestored: async (tx) => {
      after = await readFigures(tx)
    },
  })
  return {
    ...{ committed: true, ...undone, account: null, figures: { before, after } },
    errors: { count: 0, first: [] },
  }
}

interface Opened {
  source: Source
  replace: readonly string[]
  account?: () => Account
  close(): Promise<void>
}

async function sourceOf(
  { db }: Database,
  { folder, mapping: text, named, replace }: Pick<Job, 'folder' | 'mapping' | 'named' | 'replace'>,
): Promise<Opened> {
  if (text === null) return { source: findFiles(folder), replace, close: async () => {} }
  const mapping = mappingOf(text, 'the mapping')
  const { rows, close } = await openSheets(folder, mapping, { masters: await Masters.stored(db) })
  const source = { ...rows, name: named ?? 'spreadsheets' }
  // Next month's files do not have this month's rows: only a mapping that says so removes what its files lack.
  const all = mapping.complete === true ? rows.parts.map(({ entity }) => entity.name) : []
  return { source, replace: all, account: () => rows.account(), close }
}

const failureOf = (error: Error & { severity?: string }): Failure =>
  error instanceof MillbookError || error.severity !== undefined
    ? { failed: inWords(error) }
    : { failed: 'reading the files failed; the log of the service says why', cause: inWords(error) }

process.once('disconnect', () => process.exit(1))
if (!process.connected) process.exit(1) // the event came while the files above were read
process.once('message', async (job: Job) => {
  giveWay()
  await run(job).then(
    (message) => send(message),
    (error) => send(failureOf(error)),
  )
  process.exit(0)
})
