/** What a proposal says: the tables that were found in a folder of sheets, and the mapping that would read them. */
import type { ColumnName } from '../sheet.js'

/** A mapping as its file has it, with texts for all values; `mappingOf` reads it from YAML or JSON. */
export interface MappingObject {
  readonly dates?: string | readonly string[]
  readonly decimal?: string
  readonly separator?: string
  readonly encoding?: string
  readonly blank?: string
  readonly year_begins?: string
  readonly complete?: string
  readonly entities: Readonly<Record<string, RuleObject | readonly RuleObject[]>>
}

/** One rule of a mapping: the rows of one entity in the sheets of one form. */
export interface RuleObject {
  readonly file: string | readonly string[]
  readonly sheet?: string | readonly string[]
  readonly header?: string
  readonly columns?: Readonly<Record<string, FromObject>>
  readonly constants?: Readonly<Record<string, string>>
  readonly unless?: string
  readonly leave_out?: RowRuleObject | readonly RowRuleObject[]
  readonly only?: RowRuleObject | readonly RowRuleObject[]
  readonly until?: RowRuleObject | readonly RowRuleObject[]
  readonly first?: string
  readonly dates?: string | readonly string[]
  readonly decimal?: string
  readonly separator?: string
  readonly encoding?: string
  readonly blank?: string
  readonly year_begins?: string
}

/** The name of a column, or an object with one of column, count, text, code, sum and calc. */
export type FromObject =
  | ColumnName
  | {
      readonly column?: ColumnName
      readonly take?: string
      readonly values?: Readonly<Record<string, string>>
      readonly round?: string
      readonly fill?: string
      readonly count?: string
      readonly text?: string
      readonly code?: ColumnName
      readonly sum?: string
      readonly calc?: string
    }

export interface RowRuleObject {
  readonly column: ColumnName
  readonly like?: string | readonly string[]
}

export interface Proposal {
  readonly settings: Settings
  readonly tables: readonly Table[]
  /** The mapping: the settings, and the rules of all tables. */
  readonly mapping: MappingObject
  /** Files and sheets that no rule takes, and why. */
  readonly unread: readonly Unread[]
}

/** What holds for all files. A setting that the files do not need is undefined. */
export interface Settings {
  /** How dates are written in texts, such as DD-MM-YYYY. */
  readonly dates: Setting<readonly string[]> | undefined
  readonly decimal: Setting<'.' | ','> | undefined
  /** The first month of the year in keys such as 12/2025-26. */
  readonly yearBegins: Setting<number> | undefined
}

export interface Setting<Value> {
  readonly value: Value
  /** How it was found out, as a sentence. */
  readonly why: string
  /** A wrong guess is possible. */
  readonly unsure: boolean
}

/** A table, in one sheet or in several of one form, such as a tab per month. */
export interface Table {
  /** Unique in the proposal, and the same in every run. */
  readonly id: string
  readonly sheets: readonly TableSheet[]
  /** The header's rows, from 1: equal if there is only one. */
  readonly header: { readonly first: number; readonly last: number }
  readonly columns: readonly FoundColumn[]
  /** The first rows of the first sheet, as people see them. */
  readonly sample: readonly SampleRow[]
  /** The rules that read it, in the order of loading; none if no entity fits. */
  readonly rules: readonly ProposedRule[]
  /** About the table as a whole. */
  readonly doubts: readonly Doubt[]
}

export interface TableSheet {
  readonly file: string
  /** Empty for a format that has only one sheet. */
  readonly sheet: string
  readonly hidden: boolean
  /** Rows under the header that are not empty. */
  readonly rows: number
}

export interface SampleRow {
  readonly line: number
  readonly role: 'title' | 'header' | 'row' | 'total' | 'blank'
  /** By place of the column. */
  readonly cells: readonly string[]
}

export const COLUMN_KINDS = [
  'empty',
  'text',
  'number',
  'amount',
  'quantity',
  'percent',
  'date',
  'unit',
  'yes-no',
] as const
export type ColumnKind = (typeof COLUMN_KINDS)[number]

export interface FoundColumn {
  /** As spreadsheet programs show it: C. */
  readonly letter: string
  /** With the headings above it: `Inwards / Qty`; empty if it has none. */
  readonly heading: string
  /** By which a mapping names it without doubt. */
  readonly name: ColumnName
  readonly kind: ColumnKind
  /** Units that its cells state, such as Kgs. */
  readonly units: readonly string[]
  /** Currencies that its cells state. */
  readonly currencies: readonly string[]
  /** At most three values of its cells, as people see them. */
  readonly examples: readonly string[]
  /** The number of rows in which it is not empty. */
  readonly filled: number
}

export interface ProposedRule {
  /** The name of the entity: sales_orders. */
  readonly entity: string
  readonly given: RuleObject
  readonly doubts: readonly Doubt[]
}

/** Something to look at before loading. */
export interface Doubt {
  /** The import's column that it is about. */
  readonly column?: string
  /** As a sentence. */
  readonly reason: string
  /** The load fails, or is wrong, unless a person fills it in. */
  readonly needed?: true
}

export interface Unread {
  readonly file: string
  /** Empty for a whole file. */
  readonly sheet: string
  readonly why: string
}
