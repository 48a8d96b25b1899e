/**
 * The objects of SQL access, as statements that create them: a function for each table of a report, views of the documents and masters, and
 * their comments.
 */
import { createHash } from 'node:crypto'
import { identifier } from '../../db/sql.js'
import { type FlatShape, type FlatTable, flatTables, functionName, usualParams } from '../../kernel/report/flat.js'
import type { Param } from '../../kernel/report/params.js'
import type { Report, Shape } from '../../kernel/report/report.js'
import { type View, viewOf } from '../../kernel/report/rights.js'
import { functions as computations, HIDDEN, isComputed } from './computed.js'
import { bodyOf, parametersOf } from './functions.js'
import { everyText, fixedQuery, statementOf, type Written } from './statements.js'
import { quoted } from './text.js'
import { columnOf, typeOf } from './types.js'

/** Without the columns that some must not see; the other schema has the tables with such columns once more, with them. */
export const PLAIN = 'report'
export const CONTACTS = 'report_contacts'
export const SCHEMAS = [PLAIN, CONTACTS, HIDDEN] as const

type Kind = 'view' | 'type' | 'function'

interface Named {
  readonly kind: Kind
  readonly schema: string
  readonly name: string
}

interface Made {
  readonly statements: string[]
  /** In the order in which they are created. */
  readonly names: Named[]
}

export interface Objects extends Made {
  /** Differs if any statement differs. */
  readonly fingerprint: string
}

const without = viewOf({ groups: null, hideContacts: true }, undefined)
const whole = viewOf({ groups: null, hideContacts: false }, undefined)

const inSchema = (schema: string, table: string): string => `${schema}.${identifier(table).text}`

/** Persons are contact data here as in the changes of loads, though reports show them to every client. */
const isContact = (column: string, { contact }: FlatShape['record'][string]): boolean =>
  contact === true || /(^|_)contact_person$/.test(column)

/** Descriptions are Markdown. */
const comment = (on: string, text: string): string => `comment on ${on} is ${quoted(text.replaceAll('`', ''))}`

/** Days that no document is before or after. */
const ALL_TIME: Readonly<Record<string, unknown>> = { from_date: '0001-01-01', to_date: '9999-12-31' }

/**
 * The parameters with which a table needs no question, because its rows are documents of all time or masters. Undefined where the rows mean nothing
 * without a day or a range: only the records of a listing depend on no other record, so that a range is nothing but a filter of them.
 */
function wholeOf({ report, shape, params, flat }: FlatTable): Record<string, unknown> | undefined {
  const usual = usualParams(report, shape, '2001-01-01')
  const { listing } = report.shapes.get(shape) as Shape
  if (usual === undefined) return undefined
  const fixed: Record<string, unknown> = {}
  for (const [name, { required, byDefault }] of Object.entries(params)) {
    if (!required && byDefault === undefined) continue
    if (listing === undefined || !required) return undefined
    fixed[name] = ALL_TIME[name] ?? usual[name]
  }
  return isComputed(flat.query({ ...ALL_TIME, ...fixed } as never, without)) ? undefined : fixed
}

/** Views with names of their own, by the report whose table they show. */
const NAMED: Readonly<Record<string, { name: string; about: string; write: Written }>> = {
  'inventory.movements': {
    name: 'ledger',
    about: 'Every movement of the ledger that changes the stock',
    write: (param) => `'${ALL_TIME[param]}'`,
  },
  'inventory.item-stock': {
    name: 'current_stock',
    about: 'The stock of every item in each warehouse today',
    write: () => '(select day from today)',
  },
}

/** Everything that is made of a table in one of the schemas. */
function objectsOf(table: FlatTable, schema: string, { hideContacts }: View, here: string): Made {
  const { title, description, params, flat, report } = table
  const view = viewOf({ groups: null, hideContacts }, report.masks)
  const fields = Object.entries(flat.record).filter(([column, field]) => !(hideContacts && isContact(column, field)))
  // An index has the first columns of a listing's order.
  const { listing } = report.shapes.get(table.shape) as Shape
  const stored = new Set(listing ? flat.orderBy.map(({ column }) => column) : [])
  const selected = fields.map(
    ([column, field]) => `${columnOf(field, column, stored.has(column)).text} as ${identifier(column).text}`,
  )
  const select = `select ${selected.join(', ')}\n  from (`
  const order = flat.orderBy.map(
    ({ column, descending, nullsLast }) =>
      `shown.${identifier(column).text}${descending ? ' desc' : ''}${nullsLast ? ' nulls last' : ''}`,
  )
  const made: Made = { statements: [], names: [] }
  const describe = (kind: Kind, name: string, text: string) => {
    const on = inSchema(schema, name)
    made.names.push({ kind, schema, name })
    made.statements.push(comment(`${kind} ${on}`, text))
    for (const [column, field] of fields)
      made.statements.push(comment(`column ${on}.${identifier(column).text}`, field.description))
  }
  const show = (name: string, query: string, text: string) => {
    made.statements.push(`create view ${inSchema(schema, name)} as\n${select}${query}) shown`)
    describe('view', name, text)
  }

  const rows = inSchema(schema, table.name)
  const fixed = wholeOf(table)
  if (fixed !== undefined)
    show(
      table.name,
      fixedQuery(table, view, fixed, () => ''),
      `${title}: ${description}`,
    )
  else {
    const columns = fields.map(([column, { type }]) => `${identifier(column).text} ${typeOf(type)}`)
    made.statements.push(`create type ${rows} as (${columns.join(', ')})`)
    describe('type', table.name, `The rows of ${functionName(table.name)}: ${description}`)
  }
  const named = table.list === undefined ? NAMED[report.id] : undefined
  if (named !== undefined) show(named.name, fixedQuery(table, view, {}, named.write), named.about)

  const name = functionName(table.name)
  const called = inSchema(schema, name)
  const places = Object.keys(params)
  const statement = statementOf(table, view, (param) => `$${places.indexOf(param) + 1}`)
  const body = bodyOf(table, statement, [select, `) shown\n order by ${order.join(', ')}`], here)
  made.statements.push(`create function ${called}(${parametersOf(params)}) returns setof ${rows}\n${body}`)
  made.names.push({ kind: 'function', schema, name })
  const described = Object.entries(params).map(([param, about]) => `${param}: ${wordsOf(about)}`)
  made.statements.push(comment(`function ${called}`, [`${title}: ${description}.`, ...described].join('\n')))
  return made
}

const wordsOf = ({ description, type, required, byDefault, insteadOf }: Param<unknown>): string =>
  [
    description,
    type.kind === 'word' && `One of ${type.words.join(', ')}.`,
    type.kind === 'zero-or-one' && '0 or 1.',
    !required && insteadOf === undefined && 'May be left out.',
    byDefault !== undefined && `By default ${byDefault}.`,
  ]
    .filter(Boolean)
    .join(' ')

/** Whether contact data stands in the table, in columns or inside of others. */
function hasContacts(table: FlatTable): boolean {
  if (Object.entries(table.flat.record).some(([column, field]) => isContact(column, field))) return true
  const [hidden, shown] = [without, whole].map(({ hideContacts }) => {
    const [first] = everyText(table, viewOf({ groups: null, hideContacts }, table.report.masks), (param) => param)
    return first?.[1]
  })
  return hidden !== shown
}

/** The version of the data, which every load steps. */
const DATA_VERSION = [
  `create view ${PLAIN}.data_version as select version, committed_at, id from data_version`,
  comment(`view ${PLAIN}.data_version`, 'The version of the data: one row'),
  comment(`column ${PLAIN}.data_version.version`, 'Its number: each load that changes something adds 1.'),
  comment(`column ${PLAIN}.data_version.committed_at`, 'When it was loaded.'),
  comment(`column ${PLAIN}.data_version.id`, 'Differs from every other version of any database.'),
]

/** `here` is the schema of Millbook's own tables. */
export function makeObjects(reports: readonly Report[], here: string): Objects {
  const tables = flatTables(reports)
  const parts = tables.flatMap((table) => [
    objectsOf(table, PLAIN, without, here),
    ...(hasContacts(table) ? [objectsOf(table, CONTACTS, whole, here)] : []),
  ])
  const statements = [computations, ...DATA_VERSION, ...parts.flatMap((part) => part.statements)]
  const names: Named[] = [{ kind: 'view', schema: PLAIN, name: 'data_version' }, ...parts.flatMap((part) => part.names)]
  const fingerprint = createHash('sha256').update(statements.join('\n')).digest('hex')
  return { statements, names, fingerprint }
}
