/** Imports as a dry run: begin, send files, run, look how it goes on. Nothing is ever stored. */
import type { Readable } from 'node:stream'
import { newSecret } from '../../../access/secrets.js'
import { MillbookError } from '../../../errors.js'
import { entities } from '../../../import/entities.js'
import { PHASES } from '../../../import/trials/state.js'
import type { Trials } from '../../../import/trials/trials.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { ref, text } from '../../openapi.js'
import { Optional, Whole, Words } from '../fields.js'
import { all, count, listOf, operation, textOrNull, time } from '../operation.js'
import { rightsOf } from './about.js'

type Found = ReturnType<Trials['find']>

const json = ({ id, createdAt, phase, what, done, rows, files, result, error }: Found) => ({
  ...{ id, created_at: createdAt, phase, what, done, rows, files, result, error },
})

const names = entities.map(({ name }) => name)

export const imports = [
  operation({
    method: 'POST',
    path: '/imports',
    id: 'adminBeginImport',
    summary: 'Begin an import that is tried and not stored',
    description: `Then send its files, and run it. It is removed when it was not used for 15 minutes. Only you see it.`,
    result: ref('AdminImport'),
    async run({ services: { database }, trials, by }) {
      if (!(await rightsOf(database.quick)).try_imports)
        throw new MillbookError(
          'the database login of this service may not load data, so it cannot try an import; run millbook import --dry-run with the login of the loader, or grant the role of the loader to the login of the service (docs/hardening.md)',
          { kind: 'conflict' },
        )
      const { id } = trials.begin(newSecret().slice(0, 22), by.actor)
      return json(trials.find(id, by.actor))
    },
  }),
  operation({
    method: 'GET',
    path: '/imports/:id',
    id: 'adminImport',
    summary: 'How far an import is, and its result',
    result: ref('AdminImport'),
    run: async ({ trials, params: { id = '' }, by }) => json(trials.find(id, by.actor)),
  }),
  operation({
    method: 'PUT',
    path: '/imports/:id/files/:name',
    id: 'adminSendFile',
    summary: 'Send a file of an import, whole or in parts',
    description: `The body is the file's bytes, with any content type. A request has 30 seconds, so send a large file in parts of some megabytes:
each with the \`offset\` at which it begins. \`name\` is an entity's with .csv, .jsonl or .parquet, such as \`items.csv\`.`,
    query: {
      offset: Optional(
        Whole(0, Number.MAX_SAFE_INTEGER, 'Where the part begins; 0 or nothing begins the file anew.', 4_194_304),
      ),
    },
    body: 'bytes',
    result: ref('AdminImportFile'),
    async run({ trials, params: { id = '', name = '' }, query: { offset = 0 }, request, by }) {
      return {
        name,
        bytes: await trials.write(id, by.actor, name, offset, chunksOf(request.body as Readable | undefined)),
      }
    },
  }),
  operation({
    method: 'POST',
    path: '/imports/:id/run',
    id: 'adminRunImport',
    summary: 'Try an import',
    description: `Returns at once: \`GET /v1/admin/imports/{id}\` then has the phase, and the result once it is \`done\`. It waits for a load that runs.
The files are removed after the run.`,
    body: {
      replace: Optional(
        Words(names, 'Entities whose stored rows would be removed if their file does not have them.', ['items']),
      ),
    },
    result: ref('AdminImport'),
    async run({ trials, params: { id = '' }, body: { replace = [] }, by }) {
      trials.run(id, by.actor, replace)
      return json(trials.find(id, by.actor))
    },
  }),
  operation({
    method: 'DELETE',
    path: '/imports/:id',
    id: 'adminRemoveImport',
    summary: 'End an import and remove its files',
    result: all({ id: text('Its id.') }),
    async run({ trials, params: { id = '' }, by }) {
      trials.remove(id, by.actor)
      return { id }
    },
  }),
]

/** The body of a request. A refused one is read to its end all the same: the caller would not see the response while it sends. */
async function* chunksOf(body: Readable | undefined): AsyncGenerator<Buffer> {
  if (body === undefined) return // an empty file
  try {
    yield* body.iterator({ destroyOnReturn: false })
  } finally {
    body.resume()
  }
}

export const importSchemas: Record<string, JsonSchema> = {
  AdminImport: all({
    id: text('Its id.'),
    created_at: time('When it was begun.'),
    phase: {
      ...{ type: 'string', enum: PHASES },
      description:
        '`open` takes files; `waiting` for a load that runs, `reading` files and `merging` rows; then `done` with a result, or `failed` with an error.',
    },
    what: textOrNull('The file that is read, or the entity that is merged.'),
    done: { type: 'number', description: 'How much of the phase is done, from 0 to 1.' },
    rows: count('How many rows have been read.'),
    files: listOf('AdminImportFile'),
    result: {
      ...{ type: ['object', 'null'], description: 'What a load of the files would do; null before the run has ended.' },
      properties: {
        rows: count('How many rows were read.'),
        entities: ref('AdminLoadCounts'),
        errors: ref('AdminImportErrors'),
        warnings: ref('AdminImportWarnings'),
      },
    },
    error: textOrNull('Why it failed, and what to do.'),
  }),
  AdminImportFile: all({ name: text('Its name.'), bytes: count('How many bytes it has.') }),
  AdminImportErrors: all({
    count: count('How many there are; with any, nothing would be stored.'),
    first: listOf('AdminImportError'),
  }),
  AdminImportError: all({
    file: text('The name of the file.'),
    line: count('The line on which the row begins; in Parquet, its number.'),
    column: text('The column; empty if it is about the whole row or file.'),
    value: textOrNull('What is there; null if nothing is, or if it is about more than a cell.'),
    message: text('What is wrong, or what was expected.'),
  }),
  AdminImportWarnings: all({
    count: count('How many there are; they do not stop a load.'),
    kinds: listOf('AdminWarningKind'),
    first: { type: 'array', items: { type: 'string' }, description: 'At most 100, some of each kind.' },
  }),
}
