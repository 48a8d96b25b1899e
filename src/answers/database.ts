/** Reports straight from a database, without a service. */
import { tmpdir } from 'node:os'
import type { Database } from '../db/connect.js'
import { MillbookError, Problem } from '../errors.js'
import { answerBody, fileNameOf } from '../formats/body.js'
import { formatNamed, usualFields } from '../formats/index.js'
import { Kernel } from '../kernel/answer/ask.js'
import { readParams } from '../kernel/report/params.js'
import { viewed } from '../kernel/report/view.js'
import { FEED_LIMITS, type FeedLimits } from '../store/manifests.js'
import { newSnapshotFolder, SnapshotFolder } from '../store/snapshots.js'
import { followVersions, numberOf } from '../store/versions.js'
import { type Answers, type Fetched, TokenGone, type Wanted } from './answers.js'

/** A login that may read the database may read every report. */
const EVERYTHING = { groups: null, hideContacts: false }

export function databaseAnswers(database: Database, feeds: FeedLimits = FEED_LIMITS): Answers {
  const folder = newSnapshotFolder(tmpdir())
  const versions = followVersions(database, undefined, 0) // each request reads the version
  const kernel = new Kernel({
    ...{ database, versions, feeds, files: new SnapshotFolder(folder.path), warmUp: { reports: 0, seconds: 0 } },
    onError: () => {}, // only background work reports here, and this kernel has none
  })
  return {
    async fetch({ report: declared, params, format: name, options = {}, view = {}, since, first }: Wanted, signal) {
      const read = readParams(declared.request, params)
      if ('errors' in read)
        throw new MillbookError(read.errors.map(({ field, message }) => `${field} ${message}`).join('; '))
      const { values } = read
      const page = first === undefined ? undefined : { number: 1, size: first }
      const format = formatNamed(name)
      const ask = async () => {
        const report = viewed(declared, values, { ...view, fields: view.fields ?? usualFields(format) })
        const asked = { report, values, page, pin: undefined, since }
        return { report, answer: await kernel.ask(EVERYTHING, asked, signal && { gone: () => signal }) }
      }
      const { report, answer } = await ask().catch((error) => {
        if (!(error instanceof Problem)) throw error
        if (error.code === 'gone' && since !== undefined) throw new TokenGone(error.message)
        throw new MillbookError(
          [error.message, ...(error.errors ?? []).map(({ field, message }) => `${field} ${message}`)].join('; '),
        )
      })
      if (answer.unchanged) throw new Error('an answer without conditions is never unchanged')
      const version = String(numberOf(answer.edition.pin))
      const { records, about } = answerBody(answer, format, { report, values, options, version, page: undefined })
      await format.check?.(records, about)
      return {
        name: fileNameOf(about, format, { since, page }),
        ...{ version, records: records.count, total: records.total, token: answer.changes?.token },
        length: format.length?.(records, about),
        bytes: format.encode(records, about),
      } satisfies Fetched
    },
    today: async () => (await versions.read()).day,
    async close() {
      await kernel.end()
      await versions.close()
      folder.remove()
    },
  }
}
