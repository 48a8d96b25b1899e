/** Proposes the mapping of a folder of sheets. The same files have the same proposal, and nothing leaves the machine. */
import { entities } from '../../../import/entities.js'
import { dateReader } from '../formats.js'
import { Masters } from '../masters.js'
import { SHORTENED } from '../value.js'
import { accountRule } from './account-rule.js'
import { mappedColumns } from './columns-in.js'
import { Context, type Draft, type Known, list, plainName } from './context.js'
import { dateSetting } from './dates.js'
import { documentRules } from './documents.js'
import type { Field } from './field.js'
import type { FoundTable } from './found.js'
import { attachRules, namedHeader } from './given.js'
import { itemList, partyList } from './parties.js'
import { type Where, wheresFor } from './places.js'
import { billOfMaterials, consumptionLog, productionLog } from './production.js'
import type {
  Doubt,
  MappingObject,
  Proposal,
  ProposedRule,
  RuleObject,
  Setting,
  Settings,
  Table,
  Unread,
} from './proposal.js'
import { ruleOf } from './rules.js'
import { movementList, stockBook, stockList } from './stock.js'
import { survey } from './survey.js'
import { ADDITIVE, type Concept, DATES } from './words.js'

export interface ProposeOptions {
  /** Items, customers and vendors that are stored already. */
  readonly masters?: Masters
  /** Its rules are shown in place of proposed ones. */
  readonly mapping?: MappingObject
}

/** Reads every file of the folder once; the same files have the same proposal. */
export type Propose = (folder: string, options?: ProposeOptions) => Promise<Proposal>

/** What a table may be; the first that fits counts. */
const FORMS = [
  documentRules,
  consumptionLog,
  productionLog,
  stockBook,
  movementList,
  billOfMaterials,
  listOfItems,
  partyList,
] as const

export const propose: Propose = async (folder, { masters = new Masters(), mapping } = {}) => {
  const found = await survey(folder, mapping && namedHeader(mapping))
  if (mapping !== undefined) return attachRules(found, mapping, found.tables.map(tableOf))
  const settings = settingsOf(found.tables)
  const known = knownOf(found.tables, masters, settings)
  const drafted = found.tables.map((table) => ({
    table,
    drafts: draftsFor(new Context(table, known)),
    doubts: [] as Doubt[],
  }))
  const contexts = drafted.flatMap(({ table, drafts }) => (drafts.length === 0 ? [] : new Context(table, known)))
  const account = accountRule(contexts)
  if (account !== undefined) drafted.find(({ table }) => table === account.context.table)?.drafts.push(account.draft)
  oneStock(drafted)
  oneWarehouse(drafted)
  const years = new Set(drafted.flatMap(({ drafts }) => drafts.flatMap(({ yearBegins }) => yearBegins ?? [])))
  const yearBegins = years.size === 1 ? [...years][0] : undefined
  const rules: (ProposedRule & { rank: number })[] = []
  const tables = drafted.map(({ table, drafts, doubts }): Table => {
    const wheres = wheresFor(table.sheets, found.sheets)
    const own = drafts.flatMap((draft) =>
      (draft.sheets === undefined ? wheres : wheresFor(draft.sheets, found.sheets)).map((where) => {
        const { yearBegins: year, ...rest } = draft
        const given = ruleOf(table, where, yearBegins === undefined ? draft : rest, decimalOf(table, settings.decimal))
        return { entity: draft.entity, given, doubts: draft.doubts ?? [], rank: draft.rank }
      }),
    )
    rules.push(...own)
    return {
      ...tableOf(table),
      rules: inOrder(own).map(({ rank, ...rule }) => rule),
      doubts: [...doubts, ...tableDoubts(table, wheres), ...unreadColumns(table, drafts)],
    }
  })
  const all: Settings = {
    ...settings,
    yearBegins:
      yearBegins === undefined || yearBegins === 1
        ? undefined
        : { value: yearBegins, why: 'numbers of documents begin anew in this month', unsure: false },
  }
  return {
    settings: all,
    tables,
    mapping: mappingOf(all, inOrder(rules)),
    unread: [...found.unread, ...drafted.flatMap(({ table }, at) => untaken(tables[at] as Table, table))],
  }
}

const ORDER = new Map<string, number>(entities.map(({ name }, at) => [name, at]))

const inOrder = <One extends { entity: string; rank: number }>(rules: readonly One[]): One[] =>
  rules.toSorted((a, b) => (ORDER.get(a.entity) ?? 0) - (ORDER.get(b.entity) ?? 0) || a.rank - b.rank)

function mappingOf({ dates, decimal, yearBegins }: Settings, rules: readonly ProposedRule[]): MappingObject {
  const byEntity: Record<string, RuleObject[]> = {}
  for (const { entity, given } of rules) {
    byEntity[entity] ??= []
    byEntity[entity]?.push(given)
  }
  return {
    ...(dates !== undefined && { dates: dates.value.length === 1 ? (dates.value[0] as string) : dates.value }),
    ...(decimal !== undefined && { decimal: decimal.value }),
    ...(yearBegins !== undefined && { year_begins: String(yearBegins.value) }),
    entities: Object.fromEntries(
      Object.entries(byEntity).map(([name, own]) => [name, own.length === 1 ? (own[0] as RuleObject) : own]),
    ),
  }
}

function draftsFor(context: Context): Draft[] {
  if (context.table.refusal !== undefined) return []
  for (const form of FORMS) {
    const drafts = form(context)
    if (drafts !== undefined) return drafts
    if (context.table.refusal !== undefined) return []
  }
  return []
}

/** A list of items, of their stock, or of both. */
function listOfItems(context: Context): Draft[] | undefined {
  const stock = stockList(context)
  const items = itemList(context)
  if (stock === undefined || items === undefined) return stock ?? items
  const isDetailed = context.has('hsn', 'mrp', 'reorder_level', 'item_type', 'tax_rate')
  return isDetailed ? [...items, ...stock.filter(({ entity }) => entity !== 'items')] : stock
}

interface Drafted {
  readonly table: FoundTable
  drafts: Draft[]
  readonly doubts: Doubt[]
}

/** The stock of an item is loaded once: from the table that states values, or else from the first. */
function oneStock(drafted: Drafted[]): void {
  const isValued = ({ drafts }: Drafted) =>
    drafts.some(({ isStock, columns }) => isStock && typeof columns['val'] === 'string')
  const lists = drafted.filter(({ drafts }) => drafts.some(({ isStock }) => isStock))
  const kept: Drafted[] = []
  for (const one of lists.toSorted((a, b) => Number(isValued(b)) - Number(isValued(a)))) {
    const other = kept.find(({ table }) => shareItems(table, one.table))
    if (other === undefined) {
      kept.push(one)
      continue
    }
    const [sheet] = other.table.sheets
    one.drafts = one.drafts.filter(({ isStock, entity }) => !isStock && entity !== 'warehouses')
    one.doubts.push({
      reason: `the stock is taken from ${[sheet?.file, sheet?.sheet].filter(Boolean).join(', ')} only`,
    })
  }
}

/** Most items of the smaller table are in the other one too. */
function shareItems(a: FoundTable, b: FoundTable): boolean {
  const textsOf = (table: FoundTable) =>
    new Set(
      (['item', 'particulars', 'item_code'] as const).flatMap((concept) => [
        ...(table.by(concept)?.evidence.texts.keys() ?? []),
      ]),
    )
  const [one, two] = [textsOf(a), textsOf(b)].toSorted((x, y) => x.size - y.size)
  const shared = [...(one ?? [])].filter((text) => two?.has(text)).length
  return shared > 0 && shared * 2 >= (one?.size ?? 0)
}

/** One rule for the warehouse that no column names. */
function oneWarehouse(drafted: Drafted[]): void {
  let hasOne = false
  for (const one of drafted)
    one.drafts = one.drafts.filter(({ entity, rank }) => {
      if (entity !== 'warehouses' || rank !== 90) return true
      const isFirst = !hasOne
      hasOne = true
      return isFirst
    })
}

function settingsOf(tables: readonly FoundTable[]): Settings {
  const columns = tables.flatMap(({ fields }) => fields)
  const dates = columns.filter(({ evidence }) => evidence.isDate).map(({ evidence }) => evidence.dates)
  return { dates: dateSetting(dates, isIndian(tables)), decimal: decimalSetting(tables), yearBegins: undefined }
}

const isIndian = (tables: readonly FoundTable[]): boolean =>
  tables.some(
    ({ fields, titles }) =>
      fields.some(
        ({ heading, evidence }) =>
          /\b(gst\w*|[cs]gst|igst|hsn|₹|rs|inr)\b/i.test(heading) ||
          evidence.currencies.has('₹') ||
          evidence.currencies.has('INR'),
      ) || titles.some((title) => /\b1-Apr|\bGST|April 1\b/i.test(title)),
  )

const decimalsIn = (table: FoundTable) => ({
  point: table.fields.reduce((sum, { evidence }) => sum + evidence.decimal['.'], 0),
  comma: table.fields.reduce((sum, { evidence }) => sum + evidence.decimal[','], 0),
})

function decimalSetting(tables: readonly FoundTable[]): Setting<'.' | ','> | undefined {
  const [point, comma] = [
    tables.filter((table) => decimalsIn(table).point > 0),
    tables.filter((table) => decimalsIn(table).comma > 0),
  ]
  const isClear = ({ evidence }: Field) => evidence.ambiguous === 0
  const unclear = tables.flatMap(({ fields }) => fields.filter((field) => !isClear(field)))
  if (
    comma.length === 0 &&
    point.length === 0 &&
    unclear.some(({ evidence }) => evidence.ambiguous === evidence.numbers)
  ) {
    const example = unclear[0]?.evidence.examples[0]
    // Programs separate columns by semicolons where the comma is taken for fractions.
    const isComma = tables.every(({ fields, options }) => options.separator === ';' || fields.every(isClear))
    return {
      ...{ value: isComma ? (',' as const) : ('.' as const), unsure: true },
      why: `numbers such as ${example} may have thousands or a fraction; ${isComma ? 'semicolons separate the columns, so the comma' : 'the point'} was taken for the sign before fractions`,
    }
  }
  if (comma.length === 0 || point.length > 0) return undefined
  return { value: ',', why: 'numbers such as 1.234,50 have a comma before the fraction', unsure: false }
}

/** A table of a folder in which others write numbers in another way. */
function decimalOf(table: FoundTable, setting: Settings['decimal']): string | undefined {
  const { point, comma } = decimalsIn(table)
  return setting === undefined && comma > point ? ',' : undefined
}

function knownOf(tables: readonly FoundTable[], masters: Masters, { dates }: Settings): Known {
  const base: Known = { masters, date: dateReader(dates?.value ?? []), isIndian: isIndian(tables), lists: new Map() }
  const lists = new Map<string, { codes: Set<string>; names: Set<string> }>()
  for (const table of tables)
    for (const { entity, rank, columns } of draftsFor(new Context(table, base))) {
      if (rank !== 0 || !['items', 'customers', 'vendors'].includes(entity)) continue
      const all = lists.get(entity) ?? { codes: new Set(), names: new Set() }
      const texts = (name: string) => {
        const from = columns[name]
        return [...(table.fields.find((field) => field.name === from)?.evidence.texts.keys() ?? [])]
      }
      for (const text of texts(entity === 'items' ? 'sku' : 'code')) all.codes.add(text)
      for (const text of texts('name')) all.names.add(plainName(text))
      lists.set(entity, all)
    }
  return { ...base, lists }
}

const tableOf = (table: FoundTable): Table => {
  const [sheet] = table.sheets
  return {
    id: [sheet?.file, sheet?.sheet].filter((one) => one !== undefined && one !== '').join('/'),
    sheets: table.sheets,
    header: table.header,
    columns: table.fields.map(({ letter, heading, name, concept, evidence }) => ({
      ...{ letter, heading, name, kind: evidence.kind(concept), examples: evidence.examples, filled: evidence.filled },
      ...{ units: [...evidence.units.keys()], currencies: [...evidence.currencies.keys()] },
    })),
    ...{ sample: table.sample, rules: [], doubts: [] },
  }
}

function tableDoubts(table: FoundTable, wheres: readonly Where[]): Doubt[] {
  const lists = wheres.some(({ sheet }) => Array.isArray(sheet))
  return [
    ...table.doubts,
    ...(table.next === undefined
      ? []
      : [{ reason: `another table begins in row ${table.next.line}; a rule reads one table of a sheet` }]),
    ...(lists ? [{ reason: 'the names of the sheets have nothing in common: a new sheet must be added here' }] : []),
    ...table.fields.flatMap(({ name, evidence }) =>
      evidence.dates.mayBeExchanged
        ? [
            {
              reason: `${name}: all real dates have a day up to 12, and all dates above 12 are texts: a spreadsheet program may have exchanged day and month`,
              needed: true as const,
            },
          ]
        : [],
    ),
    ...misread(table),
    ...guessedEncoding(table),
    ...table.fields.flatMap(({ name, evidence }) =>
      evidence.fault === undefined
        ? []
        : [
            {
              reason: `${name}: ${evidence.faults} ${evidence.faults === 1 ? 'cell' : 'cells'} cannot be read; the first ${evidence.fault}`,
              needed: true as const,
            },
          ],
    ),
  ]
}

/** A text that is not UTF-8 may be in one of many encodings; its letters tell. */
function guessedEncoding({ fields, options: { encoding } }: FoundTable): Doubt[] {
  if (/^utf/.test(encoding)) return []
  const texts = fields.flatMap(({ evidence }) => [...evidence.texts.keys()])
  const example = texts.find((text) => /[^\0-\x7f]/.test(text))
  return example === undefined
    ? []
    : [{ reason: `the file was read as ${encoding}, which makes texts such as ${example}` }]
}

/** Columns whose cells are not what their heading says. */
const misread = ({ fields }: FoundTable): Doubt[] =>
  fields.flatMap(({ name, meaning, evidence }) => {
    const cut =
      meaning === undefined || evidence.isNumeric ? undefined : evidence.words?.find((text) => SHORTENED.test(text))
    if (cut !== undefined)
      return [{ reason: `${name}: ${cut} is a number that a spreadsheet program has shortened`, needed: true as const }]
    if (meaning === undefined || !evidence.contradicts(meaning)) return []
    if (evidence.kind(meaning) === 'yes-no') return [] // Taxable: yes
    const cells = `${name}: its cells, such as ${JSON.stringify(evidence.examples[0])}, are no`
    const reason = DATES.has(meaning)
      ? `${cells} dates in a form that is known, so no rule reads them: name their form in dates, such as DD-MMM-YY, and add the columns`
      : `${cells} numbers that are clear, so no rule reads them`
    return [{ reason, needed: true as const }]
  })

/** They follow from the other columns. */
const BALANCES: ReadonlySet<Concept> = new Set(['opening_qty', 'opening_value', 'closing_qty', 'closing_value'])

/** Columns that no rule reads: a discount or a freight that a total may include, the batch of a stock list. */
function unreadColumns({ fields }: FoundTable, drafts: readonly Draft[]): Doubt[] {
  if (drafts.length === 0) return []
  const read = new Set(
    drafts.flatMap(({ columns, unless, leaveOut = [], only = [] }) => [
      ...mappedColumns(columns),
      ...[unless ?? [], ...[...leaveOut, ...only].map(({ column }) => column)].flat(),
    ]),
  )
  const unread = fields.filter(
    ({ name, heading, meaning, evidence }) =>
      heading !== '' &&
      !read.has(name) &&
      evidence.isNumeric &&
      !evidence.isDate &&
      (meaning === undefined ? evidence.units.size === 0 : ADDITIVE.has(meaning) && !BALANCES.has(meaning)),
  )
  const others = fields.filter(
    ({ name, meaning, evidence }) =>
      meaning !== undefined &&
      evidence.filled > 0 &&
      !evidence.isNumeric &&
      !evidence.contradicts(meaning) &&
      !read.has(name),
  )
  const words = (what: string, all: readonly Field[]): Doubt[] =>
    all.length === 0 ? [] : [{ reason: `no rule reads ${what} ${all.map(({ name }) => name).join(', ')}` }]
  return [...words('the numbers in', unread), ...words(others.length === 1 ? 'the column' : 'the columns', others)]
}

const fitNone = (columns: Table['columns']): string =>
  `its columns fit no entity: ${list(columns.flatMap(({ heading }) => (heading === '' ? [] : heading)))}`

const untaken = ({ rules, sheets, columns, doubts }: Table, { refusal }: FoundTable): Unread[] =>
  rules.length > 0
    ? []
    : sheets.map(({ file, sheet }) => ({
        ...{ file, sheet },
        why:
          refusal ??
          [fitNone(columns), ...doubts.filter(({ needed }) => needed).map(({ reason }) => reason)].join('; '),
      }))
