/** Reports straight from a database, without a service. */
import { tmpdir } from 'node:os'
import type { Database, Queryable } from '../db/connect.js'
import { MillbookError, Problem } from '../errors.js'
import { answerBody, fileNameOf } from '../formats/body.js'
import { formatNamed, usualFields } from '../formats/index.js'
import { mayUse } from '../groups.js'
import { Kernel } from '../kernel/answer/ask.js'
import { readParams } from '../kernel/report/params.js'
import type { Report } from '../kernel/report/report.js'
import { viewed } from '../kernel/report/view.js'
import { FEED_LIMITS, type FeedLimits } from '../store/manifests.js'
import { newSnapshotFolder, SnapshotFolder } from '../store/snapshots.js'
import { followVersions, numberOf } from '../store/versions.js'
import { type Resolved, resolveSaved } from '../views/definition.js'
import { allViews, listViews, readCalendar, readerNamed } from '../views/saved.js'
import { type Answers, type Fetched, TokenGone, type Wanted, type WantedReport, type WantedView } from './answers.js'
import { viewNamed } from './views.js'

/** A login that may read the database may read every report. */
export const EVERYTHING: Rights = { groups: null, hideContacts: false }

interface Rights {
  readonly groups: readonly string[] | null
  readonly hideContacts: boolean
}

/** A kernel for one command, without a service. */
export function commandKernel(database: Database, feeds: FeedLimits = FEED_LIMITS) {
  const folder = newSnapshotFolder(tmpdir())
  const versions = followVersions(database, undefined, 0) // each request reads the version
  const kernel = new Kernel({
    ...{ database, versions, feeds, files: new SnapshotFolder(folder.path), warmUp: { reports: 0, seconds: 0 } },
    onError: () => {}, // only background work reports here, and this kernel has none
  })
  return {
    kernel,
    versions,
    async close() {
      await kernel.end()
      await versions.close()
      folder.remove()
    },
  }
}

/** `reports` are the reports that saved views may name. */
export function databaseAnswers(
  database: Database,
  reports: readonly Report[],
  feeds: FeedLimits = FEED_LIMITS,
): Answers {
  const { kernel, versions, close } = commandKernel(database, feeds)
  return {
    async fetch(wanted: Wanted, signal) {
      const { format: name, options = {}, first, asKnown, against } = wanted
      const since = 'saved' in wanted ? undefined : wanted.since
      const page = first === undefined ? undefined : { number: 1, size: first }
      const format = formatNamed(name)
      const ask = async () => {
        const {
          report: declared,
          values,
          view,
          rights,
        } = 'saved' in wanted ? await savedView(database.db, reports, wanted) : readWanted(wanted)
        const report = viewed(declared, values, { ...view, fields: view.fields ?? usualFields(format) })
        const asked = { report, values, page, pin: undefined, since, asKnown, against }
        return { report, values, answer: await kernel.ask(rights, asked, signal && { gone: () => signal }) }
      }
      const { report, values, answer } = await ask().catch((error) => {
        if (!(error instanceof Problem)) throw error
        if (error.code === 'gone' && since !== undefined) throw new TokenGone(error.message)
        throw new MillbookError(
          [error.message, ...(error.errors ?? []).map(({ field, message }) => `${field} ${message}`)].join('; '),
        )
      })
      if (answer.unchanged) throw new Error('an answer without conditions is never unchanged')
      const version = String(numberOf(answer.edition.pin))
      const { records, about } = answerBody(answer, format, {
        ...{ report, values, options, version, page: undefined },
        known: { ...(asKnown && { as_known: asKnown }), ...(against && { against }) },
      })
      await format.check?.(records, about)
      return {
        name: fileNameOf(about, format, { since, against, page }),
        ...{ version, records: records.count, total: records.total, token: answer.changes?.token },
        length: format.length?.(records, about),
        bytes: format.encode(records, about),
      } satisfies Fetched
    },
    today: async () => (await versions.read()).day,
    close,
  }
}

function readWanted({ report, params, view = {} }: WantedReport): Omit<Resolved, 'params'> & { rights: Rights } {
  const read = readParams(report.request, params)
  if ('errors' in read)
    throw new MillbookError(read.errors.map(({ field, message }) => `${field} ${message}`).join('; '))
  return { report, values: read.values, view, rights: EVERYTHING }
}

/** A saved view as its reader may see it. */
async function savedView(
  db: Queryable,
  reports: readonly Report[],
  { saved, user, on }: WantedView,
): Promise<Omit<Resolved, 'params'> & { rights: Rights }> {
  const reader = user === undefined ? undefined : await readerNamed(db, user)
  const views = reader === undefined ? await allViews(db) : await listViews(db, reader)
  const { view } = viewNamed(
    saved,
    views.map((view) => ({ ...view, view, name: view.definition.name, mine: view.owner === user })),
  )
  const calendar = await readCalendar(db)
  const resolved = resolveSaved(view.definition, reports, { ...calendar, today: on ?? calendar.today })
  const { id, group } = resolved.report
  if (reader !== undefined && !mayUse(reader, group))
    throw new MillbookError(`the view ${saved} shows the report ${id}, and ${user} may not use the group ${group}`)
  return { ...resolved, rights: reader ?? EVERYTHING }
}
