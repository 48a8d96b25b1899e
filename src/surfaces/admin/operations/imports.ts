/** Imports as a dry run: begin, send files, run, poll the progress. Nothing is ever stored. */
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
    summary: 'Begin a dry run of an import',
    description: `Then send its files, and run it. Nothing is stored. The import is removed if it is not used for 15 minutes. Only you see it.`,
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
    summary: 'Progress and result of an import',
    result: ref('AdminImport'),
    run: async ({ trials, params: { id = '' }, by }) => json(trials.find(id, by.actor)),
  }),
  operation({
    method: 'PUT',
    path: '/imports/:id/files/:name',
    id: 'adminSendFile',
    summary: 'Send a file of an import, whole or in parts',
    description: `The body is the file's bytes, with any content type. A request must arrive within 30 seconds, so send a large file in parts of some megabytes,
each with the \`offset\` at which it begins. \`name\` is the name of an entity with .csv, .jsonl or .parquet, such as \`items.csv\`.`,
    query: {
      offset: Optional(
        Whole(
          0,
          Number.MAX_SAFE_INTEGER,
          'Byte at which the part begins; without it or with 0, the file starts anew.',
          4_194_304,
        ),
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
    summary: 'Run an import as a dry run',
    description: `Returns at once: \`GET /v1/admin/imports/{id}\` then has the phase, and the result once it is \`done\`. It waits for a running load to end.
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

/** The body of a request. A refused body is still read to its end, because a caller who is sending would not see the response. */
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
    created_at: time('When the import began.'),
    phase: {
      ...{ type: 'string', enum: PHASES },
      description:
        '`open` accepts files; then `waiting` for a running load, `reading` files and `merging` rows; then `done` with a result, or `failed` with an error.',
    },
    what: textOrNull('The file that is being read, or the entity that is being merged.'),
    done: { type: 'number', description: 'Progress of the phase, from 0 to 1.' },
    rows: count('Number of rows read so far.'),
    files: listOf('AdminImportFile'),
    result: {
      ...{
        type: ['object', 'null'],
        description: 'The changes that a load of the files would make; null before the run has ended.',
      },
      properties: {
        rows: count('Number of rows read.'),
        entities: ref('AdminLoadCounts'),
        errors: ref('AdminImportErrors'),
        warnings: ref('AdminImportWarnings'),
      },
    },
    error: textOrNull('Why the run failed, and what to do.'),
  }),
  AdminImportFile: all({ name: text('Name of the file.'), bytes: count('Size in bytes.') }),
  AdminImportErrors: all({
    count: count('Number of errors; with any error, a load would store nothing.'),
    first: listOf('AdminImportError'),
  }),
  AdminImportError: all({
    file: text('The name of the file.'),
    line: count('The line on which the row begins; in Parquet, the number of the row.'),
    column: text('The column; empty if the error is about the whole row or file.'),
    value: textOrNull('The value of the cell; null if it is empty, or if the error is about more than a cell.'),
    message: text('The error, or the expected value.'),
  }),
  AdminImportWarnings: all({
    count: count('Number of warnings; they do not stop a load.'),
    kinds: listOf('AdminWarningKind'),
    first: { type: 'array', items: { type: 'string' }, description: 'At most 100, some of each kind.' },
  }),
}
