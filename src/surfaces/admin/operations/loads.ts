/** Loads that changed the data: the list, newest first, and one load with its warnings. */
import { audit } from '../../../access/audit.js'
import { newSecret } from '../../../access/secrets.js'
import { requireEmpty } from '../../../bring/sample.js'
import { PERIOD_FIGURES } from '../../../closed/close.js'
import { MillbookError } from '../../../errors.js'
import { findLoad, loadJson, readLoads } from '../../../import/load-log.js'
import { findUndoable, requireUndoable } from '../../../import/undo/undo.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { ref, text } from '../../openapi.js'
import { Optional, Whole } from '../fields.js'
import { all, count, flag, listOf, maybe, operation, time } from '../operation.js'
import { FOR, importJson, requireLogin } from './imports.js'

const MOST = 200
const USUAL = 50

export const loads = [
  operation({
    method: 'GET',
    path: '/loads',
    id: 'adminLoads',
    roles: ['loader', 'operator'],
    summary: 'Loads that changed the data, newest first',
    description: 'The newest 1,000 are kept.',
    query: {
      before: Optional(Whole(1, Number.MAX_SAFE_INTEGER, 'Only loads before this version.', 17)),
      limit: Optional(Whole(1, MOST, `Number of loads at most; ${USUAL} by default.`, USUAL)),
    },
    result: all({
      loads: listOf('AdminLoad'),
      more: flag('Whether there are older ones.'),
      undoable: {
        type: ['integer', 'null'],
        description: 'The version whose load can be taken back; null if there is none.',
      },
    }),
    async run({ services: { database }, query: { before, limit = USUAL } }) {
      const { loads, more } = await readLoads(database.db, { before, limit })
      return { loads: loads.map(loadJson), more, undoable: (await findUndoable(database.db))?.version ?? null }
    },
  }),
  operation({
    method: 'GET',
    path: '/loads/:version',
    id: 'adminLoad',
    roles: ['loader', 'operator'],
    summary: 'One load with its first warnings',
    result: all({
      load: ref('AdminLoad'),
      first_warnings: { type: 'array', items: { type: 'string' }, description: 'At most 100 of its warnings.' },
      warning_kinds: listOf('AdminWarningKind'),
    }),
    async run({ services: { database }, params: { version = '' } }) {
      const load = /^\d{1,15}$/.test(version) ? await findLoad(database.db, Number(version)) : undefined
      if (load === undefined) throw new MillbookError('there is no such load in the log', { kind: 'unknown' })
      return { load: loadJson(load), first_warnings: load.firstWarnings, warning_kinds: load.warningKinds }
    },
  }),
  operation({
    ...FOR,
    method: 'POST',
    path: '/loads/:version/undo',
    id: 'adminUndoLoad',
    summary: 'Take back the last load of files that were brought in',
    description: `Removes the rows that it added and restores the rows that it changed or removed, all or none, if nothing has changed the data since. Returns at
once: \`GET /v1/admin/imports/{id}\` then has the phase, and at the end the result.`,
    result: ref('AdminImport'),
    async run(context) {
      const { services, bringing, params, by, change } = context
      await requireLogin(context)
      const version = /^\d{1,15}$/.test(params['version'] ?? '') ? Number(params['version']) : 0
      await requireUndoable(services.database.db, version)
      await change((tx) => audit(tx, { ...by, act: 'load.undo', detail: { version } }))
      return importJson(bringing.undo(newSecret().slice(0, 22), by.actor, version))
    },
  }),
  operation({
    ...FOR,
    method: 'POST',
    path: '/sample',
    id: 'adminLoadSample',
    summary: 'Load the sample company into an empty account',
    description: 'Returns at once, as a load of files does. The sample can be taken back like any load.',
    result: ref('AdminImport'),
    async run(context) {
      const { services, bringing, by, change } = context
      await requireLogin(context)
      await requireEmpty(services.database.db)
      await change((tx) => audit(tx, { ...by, act: 'load.begin', detail: { sample: true } }))
      return importJson(bringing.loadSample(newSecret().slice(0, 22), by.actor))
    },
  }),
]

export const loadSchemas: Record<string, JsonSchema> = {
  AdminLoad: all({
    version: count('The version of the data after the load.'),
    committed_at: time('When.'),
    seconds: { type: 'number', description: 'Duration of the load.' },
    actor: text("The system's user at the command line."),
    source: { type: 'array', items: { type: 'string' }, description: 'The names of its files, or of another source.' },
    rows: count('Number of rows read.'),
    entities: ref('AdminLoadCounts'),
    warnings: count('Number of warnings.'),
    rejected: count('Number of rows that were left out because they were wrong.'),
  }),
  AdminLoadCounts: {
    type: 'object',
    description: 'The number of new, changed, unchanged and removed rows of each entity.',
    additionalProperties: ref('AdminCounts'),
  },
  AdminWarningKind: maybe(
    all({
      check: text('The check that failed, in words.'),
      count: count('Number of warnings of this kind.'),
      examples: { type: 'array', items: { type: 'string' }, description: 'Some of these warnings.' },
    }),
    {
      kind: { type: 'string', enum: ['closed-period'], description: 'The load changes figures of closed periods.' },
      changes: { ...listOf('AdminClosedChange'), description: 'All warnings of that kind.' },
    },
  ),
  AdminClosedChange: all({
    period: text('The closed period.'),
    figure: { type: 'string', enum: PERIOD_FIGURES, description: 'The figure that the load changes.' },
    before: text('The figure before the load.'),
    after: text('The figure after it.'),
    difference: text('`after` − `before`.'),
  }),
  AdminCounts: all({
    new: count('Rows that were added.'),
    changed: count('Rows that replaced a stored row.'),
    same: count('Rows that changed nothing.'),
    removed: count('Stored rows that were removed.'),
  }),
}
