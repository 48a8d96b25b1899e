/** A mapping that exists already, shown on the tables of a folder in place of a proposed one. */
import type { HeaderRows } from './header.js'
import { fits, type Place } from './places.js'
import type { MappingObject, Proposal, ProposedRule, RuleObject, Settings, Table } from './proposal.js'
import type { NamedHeader, Survey } from './survey.js'

const rulesOf = ({ entities }: MappingObject): { entity: string; given: RuleObject }[] =>
  Object.entries(entities).flatMap(([entity, given]) =>
    (Array.isArray(given) ? (given as readonly RuleObject[]) : [given as RuleObject]).map((one) => ({
      entity,
      given: one,
    })),
  )

const takes = ({ file, sheet }: RuleObject, place: Place, isFirst: boolean): boolean =>
  (sheet !== undefined || isFirst) && fits({ file, sheet }, place)

/** The rows that the first rule for a sheet names as its header. */
export const namedHeader =
  (mapping: MappingObject): NamedHeader =>
  (place, isFirst): HeaderRows | undefined => {
    const rule = rulesOf(mapping).find(({ given }) => takes(given, place, isFirst))
    if (rule === undefined) return undefined
    const [first = '1', last = first] = (rule.given.header ?? '1').split('-')
    return { first: Number(first), last: Number(last) }
  }

export function attachRules(found: Survey, mapping: MappingObject, tables: readonly Table[]): Proposal {
  const rules = rulesOf(mapping)
  const shown = tables.map((table): Table => {
    const own = rules.filter(({ given }) =>
      table.sheets.some((place) => takes(given, place, isFirst(place, found.sheets))),
    )
    return { ...table, rules: own.map((rule): ProposedRule => ({ ...rule, doubts: [] })) }
  })
  const { dates, decimal, year_begins: year } = mapping
  const setting = <Value>(value: Value | undefined) =>
    value === undefined ? undefined : { value, why: 'the mapping says so', unsure: false }
  const settings: Settings = {
    dates: setting(dates === undefined ? undefined : typeof dates === 'string' ? [dates] : dates),
    decimal: setting(decimal as '.' | ',' | undefined),
    yearBegins: setting(year === undefined ? undefined : Number(year)),
  }
  const untaken = shown.flatMap(({ rules: own, sheets }) =>
    own.length > 0 ? [] : sheets.map(({ file, sheet }) => ({ file, sheet, why: 'no rule of the mapping reads it' })),
  )
  return { settings, tables: shown, mapping, unread: [...found.unread, ...untaken] }
}

const isFirst = (place: Place, all: readonly Place[]): boolean =>
  all.find(({ file, hidden }) => file === place.file && hidden !== true)?.sheet === place.sheet
