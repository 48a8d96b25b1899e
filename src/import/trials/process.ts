/** The separate process of a dry run, which ends with its parent: reading files in the service would delay its requests. */
import { connect, lockLoads, type Target } from '../../db/connect.js'
import { inWords, MillbookError } from '../../errors.js'
import { giveWay } from '../give-way.js'
import { type LoadResult, load, type Progress } from '../pipeline/load.js'
import { findFiles } from '../readers/folder.js'

export interface ToTrial {
  target: Target
  folder: string
  replace: readonly string[]
  errorsShown: number
}

export type FromTrial = { waiting: true } | { progress: Progress } | { result: LoadResult } | Failure

export interface Failure {
  /** For the operator. */
  failed: string
  /** For the log, if it is a fault of the program. */
  cause?: string
}

const PROGRESS_MS = 200

const send = (message: FromTrial) => new Promise<void>((sent) => process.send?.(message, () => sent()))

/** Always a dry run: no message makes this process commit. */
async function run({ target, folder, replace, errorsShown }: ToTrial): Promise<LoadResult> {
  const files = findFiles(folder)
  const release = await lockLoads(target, () => void send({ waiting: true }))
  try {
    const database = await connect(target)
    try {
      let [shownAt, phase] = [0, '']
      const onProgress = (progress: Progress) => {
        if (Date.now() - shownAt < PROGRESS_MS && progress.phase === phase) return
        ;[shownAt, phase] = [Date.now(), progress.phase]
        void send({ progress })
      }
      return await load(database, files, { dryRun: true, replace, errorsShown, onProgress })
    } finally {
      await database.close()
    }
  } finally {
    await release()
  }
}

const failureOf = (error: Error & { severity?: string }): Failure =>
  error instanceof MillbookError || error.severity !== undefined
    ? { failed: inWords(error) }
    : { failed: 'the dry run failed; the log of the service says why', cause: inWords(error) }

process.once('disconnect', () => process.exit(1))
process.once('message', async (job: ToTrial) => {
  giveWay()
  await run(job).then(
    (result) => send({ result }),
    (error) => send(failureOf(error)),
  )
  process.exit(0)
})
