/** Files that are brought in: begin, send files, look at them, set a mapping, try, load, poll the progress. */
import type { Readable } from 'node:stream'
import { audit } from '../../../access/audit.js'
import { newSecret } from '../../../access/secrets.js'
import type { Found } from '../../../bring/bring.js'
import { findMapping, keepMapping, type MappingObject, mappingYaml } from '../../../bring/mappings.js'
import { PHASES } from '../../../bring/state.js'
import { MillbookError } from '../../../errors.js'
import { entities } from '../../../import/entities.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { ref, text } from '../../openapi.js'
import { Free, Optional, Text, Whole, Word, Words } from '../fields.js'
import { all, type Context, count, flag, listOf, operation, textOrNull, time } from '../operation.js'
import { rightsOf } from './about.js'
import { proposalJson } from './proposal.js'

const notedJson = ({ byRule, ...one }: { byRule: boolean }) => ({ ...one, by_rule: byRule })

const accountJson = (account: NonNullable<Found['result']>['account']) =>
  account && {
    sheets: account.sheets.map(({ leftOut, noted, ...one }) => ({
      ...{ ...one, left_out: leftOut.map(notedJson), noted: noted.map(notedJson) },
    })),
    unread: account.unread,
  }

export const importJson = ({ createdAt, result, ...found }: Found) => ({
  ...{ id: found.id, created_at: createdAt, phase: found.phase, action: found.action, what: found.what },
  ...{ done: found.done, rows: found.rows, files: found.files, mapping: found.mapping, named: found.named },
  ...{ looked: found.looked, error: found.error },
  result: result && { ...result, account: accountJson(result.account) },
})

const LONGEST = 1_000_000
const names = entities.map(({ name }) => name)
export const FOR = { roles: ['loader', 'operator'] } as const

/** Throws unless the service has a database login that may load. */
export async function requireLogin({ services: { database, loaderTarget } }: Pick<Context, 'services'>): Promise<void> {
  if (loaderTarget !== undefined || (await rightsOf(database.quick)).load) return
  throw new MillbookError(
    'the database login of this service may not load data: start the service with --loader-database and the login of the loader, or use the command line (docs/hardening.md)',
    { kind: 'conflict' },
  )
}

export const imports = [
  operation({
    ...FOR,
    method: 'POST',
    path: '/imports',
    id: 'adminBeginImport',
    summary: 'Begin to bring in files',
    description: `Then send the files, look at them, try and load them. They are removed after the load, or if they are not used for an hour. Only you see them.`,
    body: { mapping: Optional(Text(60, 'The name of a kept mapping to read them by.', 'Tally, monthly')) },
    result: ref('AdminImport'),
    async run(context) {
      const { services, bringing, by, body } = context
      await requireLogin(context)
      const kept = body.mapping === undefined ? undefined : await findMapping(services.database.quick, body.mapping)
      const { id } = bringing.begin(newSecret().slice(0, 22), by.actor)
      return importJson(
        kept === undefined ? bringing.find(id, by.actor) : bringing.setMapping(id, by.actor, kept.text, kept.name),
      )
    },
  }),
  operation({
    ...FOR,
    method: 'GET',
    path: '/imports/:id',
    id: 'adminImport',
    summary: 'Files, progress and result',
    result: ref('AdminImport'),
    run: async ({ bringing, params: { id = '' }, by }) => importJson(bringing.find(id, by.actor)),
  }),
  operation({
    ...FOR,
    method: 'GET',
    path: '/imports',
    id: 'adminImports',
    summary: 'What you have begun, newest first',
    result: all({ imports: listOf('AdminImport') }),
    run: async ({ bringing, by }) => ({ imports: bringing.list(by.actor).map(importJson) }),
  }),
  operation({
    ...FOR,
    method: 'GET',
    path: '/imports/:id/proposal',
    id: 'adminProposal',
    summary: 'The tables in the files, and the mapping that would read them',
    description: 'After the action `look`. With a mapping that was set, its rules; without one, proposed rules.',
    result: ref('AdminProposal'),
    run: async ({ bringing, params: { id = '' }, by }) => proposalJson(bringing.proposal(id, by.actor)),
  }),
  operation({
    ...FOR,
    method: 'PUT',
    path: '/imports/:id/files/:name',
    id: 'adminSendFile',
    summary: 'Send a file, whole or in parts',
    description: `The body is the file's bytes, with any content type. A request must arrive within 30 seconds, so send a large file in parts of some megabytes,
each with the \`offset\` at which it begins. A file is a workbook (.xlsx, .xls, .ods, .csv), an export of Tally (.xml), or a file of an import such as \`items.parquet\`.`,
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
    async run({ bringing, params: { id = '', name = '' }, query: { offset = 0 }, request, by }) {
      return {
        name,
        bytes: await bringing.write(id, by.actor, name, offset, chunksOf(request.body as Readable | undefined)),
      }
    },
  }),
  operation({
    ...FOR,
    method: 'DELETE',
    path: '/imports/:id/files/:name',
    id: 'adminRemoveFile',
    summary: 'Remove a file',
    result: ref('AdminImport'),
    run: async ({ bringing, params: { id = '', name = '' }, by }) =>
      importJson(bringing.removeFile(id, by.actor, name)),
  }),
  operation({
    ...FOR,
    method: 'PUT',
    path: '/imports/:id/mapping',
    id: 'adminSetMapping',
    summary: 'Set the mapping by which the files are read',
    description: 'Send it as `text`, as an object in `mapping`, or by the `name` of a kept one.',
    body: {
      text: Optional(
        Text(LONGEST, 'The mapping as YAML or JSON.', 'entities: {items: {file: stock.xlsx, columns: {sku: Item}}}'),
      ),
      mapping: Optional(
        Free(LONGEST, 'The mapping as an object.', {
          entities: { items: { file: 'stock.xlsx', columns: { sku: 'Item' } } },
        }),
      ),
      name: Optional(Text(60, 'The name of a kept mapping.', 'Tally, monthly')),
    },
    result: ref('AdminImport'),
    async run({ services: { database }, bringing, params: { id = '' }, body: { text, mapping, name }, by }) {
      if ([text, mapping, name].filter((one) => one !== undefined).length !== 1)
        throw new MillbookError('send one of text, mapping and name')
      const kept = name === undefined ? undefined : await findMapping(database.quick, name)
      const own = kept?.text ?? text ?? mappingYaml(mapping as MappingObject)
      return importJson(bringing.setMapping(id, by.actor, own, name))
    },
  }),
  operation({
    ...FOR,
    method: 'DELETE',
    path: '/imports/:id/mapping',
    id: 'adminUnsetMapping',
    summary: 'Forget the mapping of these files',
    description: 'The next `look` proposes one. A kept mapping stays kept.',
    result: ref('AdminImport'),
    run: async ({ bringing, params: { id = '' }, by }) => importJson(bringing.removeMapping(id, by.actor)),
  }),
  operation({
    ...FOR,
    method: 'POST',
    path: '/imports/:id/run',
    id: 'adminRunImport',
    summary: 'Look at the files, try or load them',
    description: `\`look\` reads the files and proposes a mapping; \`try\` does everything but commit; \`load\` commits, all rows or none. Returns at once: \`GET /v1/admin/imports/{id}\` then has the phase, and at the end
the result. It waits for a running load to end. The files are removed after a load.`,
    body: {
      action: Word(['look', 'try', 'load'], 'What to do.'),
      replace: Optional(
        Words(names, 'Entities whose stored rows are removed if their file of an import does not have them.', [
          'items',
        ]),
      ),
      keep_as: Optional(Text(60, 'Keep the mapping under this name.', 'Tally, monthly')),
    },
    result: ref('AdminImport'),
    async run(context) {
      const { bringing, params, body, by, change } = context
      const { id = '' } = params
      const { action, replace = [], keep_as: name } = body
      await requireLogin(context)
      const { files, mapping, named } = bringing.checkRun(id, by.actor, { action, replace })
      // The trail has an entry for every load, also for one that ends halfway; the log of loads has its result.
      await change(async (tx) => {
        if (name !== undefined && mapping !== null) {
          await keepMapping(tx, name, mapping, by.actor)
          await audit(tx, { ...by, act: 'mapping.keep', detail: { name } })
        }
        if (action === 'load')
          await audit(tx, {
            ...by,
            act: 'load.begin',
            detail: { files: files.map((file) => file.name), mapping: name ?? named },
          })
      })
      return importJson(bringing.run(id, by.actor, { action, replace, named: name }))
    },
  }),
  operation({
    ...FOR,
    method: 'DELETE',
    path: '/imports/:id',
    id: 'adminRemoveImport',
    summary: 'Stop, and remove the files',
    result: all({ id: text('Its id.') }),
    async run({ bringing, params: { id = '' }, by }) {
      bringing.remove(id, by.actor)
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

const orNull = (schema: JsonSchema, description: string): JsonSchema => ({
  ...{ ...schema, type: ['object', 'null'], description },
})

const result = all({
  committed: flag('Whether the rows are stored.'),
  version: count('Version of the data after the load.'),
  rows: count('Number of rows read.'),
  entities: ref('AdminLoadCounts'),
  errors: ref('AdminImportErrors'),
  warnings: ref('AdminImportWarnings'),
  account: orNull(
    all({
      sheets: listOf('AdminImportSheet'),
      unread: {
        type: 'array',
        items: { type: 'string' },
        description: 'Files and sheets that no rule of the mapping reads.',
      },
    }),
    'Rows of each sheet that were read, used and left out; null for files of an import.',
  ),
  figures: orNull(
    all({ before: ref('AdminImportFigures'), after: ref('AdminImportFigures') }),
    'Figures of the books before and after; null if there is an error.',
  ),
})

const errorFields: Record<string, JsonSchema> = {
  file: text('The name of the file, with its sheet.'),
  line: count('The line on which the row begins; in Parquet, the number of the row.'),
  column: text('The column; empty if the error is about the whole row or file.'),
  value: textOrNull('The value of the cell; null if it is empty, or if the error is about more than a cell.'),
  message: text('The error, or the expected value.'),
}

export const importSchemas: Record<string, JsonSchema> = {
  AdminImport: all({
    id: text('Its id.'),
    created_at: time('When it began.'),
    phase: {
      ...{ type: 'string', enum: PHASES },
      description:
        '`open` accepts files and a mapping; an action is `waiting` for a running load, `reading` files, then `merging` rows; then `open` again with a result or an error, or `loaded`.',
    },
    action: textOrNull('The action that runs, or ran last: `look`, `try`, `load`, `undo` or `sample`.'),
    what: textOrNull('The file that is being read, or the entity that is being merged.'),
    done: { type: 'number', description: 'Progress of the phase, from 0 to 1.' },
    rows: count('Number of rows read so far.'),
    files: listOf('AdminImportFile'),
    mapping: textOrNull('The mapping; null for files of an import, or if none is set.'),
    named: textOrNull('The name that the mapping is kept under.'),
    looked: flag('Whether there is a proposal for these files and this mapping.'),
    result: orNull(result, 'The changes that a load makes; null before a try or a load has ended.'),
    error: textOrNull('Why the last action failed, and what to do.'),
  }),
  AdminImportFigures: all({
    items: count('Items.'),
    customers: count('Customers.'),
    stock_value: text('Value of all stock, without tax.'),
    last_movement: textOrNull('The last day with a stock movement.'),
    sales_orders: text('Sales orders before tax, without cancelled ones.'),
    invoices: text('Invoices before tax, less credit notes, without cancelled ones.'),
    purchase_orders: text('Purchase orders before tax, without cancelled ones.'),
  }),
  AdminImportSheet: all({
    file: text('The file.'),
    sheet: text('The sheet; empty for a file that has only one.'),
    entity: text('The entity whose rows were read.'),
    read: count('Rows under the header.'),
    used: count('Rows that were used.'),
    left_out: listOf('AdminImportNoted'),
    totals: {
      ...{ type: 'array', description: 'Sums over the used rows, beside the totals that the sheet states.' },
      items: all({
        column: text("The sheet's column."),
        sum: text('Over the rows that are used, as the sheet adds them up.'),
        parts: {
          ...{ type: 'array', description: 'The sums by unit or currency, if the rows have several.' },
          items: all({ unit: text('Empty where the rows state none.'), sum: text('Of these rows.') }),
        },
        stated: textOrNull('The total that the sheet states; null if it states none.'),
        line: { type: ['integer', 'null'], description: 'The row that states it.' },
        difference: textOrNull('`sum` less `stated`; null if they are equal, or if none is stated.'),
      }),
    },
    noted: listOf('AdminImportNoted'),
  }),
  AdminImportNoted: all({
    why: text('The reason.'),
    rows: count('Number of rows.'),
    first: { type: 'array', items: { type: 'integer' }, description: 'The numbers of the first rows.' },
    by_rule: flag('Whether a rule of the mapping asks for it.'),
  }),
  AdminImportFile: all({ name: text('Name of the file.'), bytes: count('Size in bytes.') }),
  AdminImportErrors: all({
    count: count('Number of errors; with any error, a load would store nothing.'),
    first: listOf('AdminImportError'),
  }),
  AdminImportError: {
    ...all(errorFields),
    properties: {
      ...errorFields,
      cell: text('In a workbook, the cell, such as C5.'),
      key: {
        type: 'object',
        additionalProperties: { type: ['string', 'null'] },
        description: 'The cells that identify the row, by column; absent if the error is not about a row.',
      },
    },
  },
  AdminImportWarnings: all({
    count: count('Number of warnings; they do not stop a load.'),
    kinds: listOf('AdminWarningKind'),
    first: { type: 'array', items: { type: 'string' }, description: 'At most 100, some of each kind.' },
  }),
}
