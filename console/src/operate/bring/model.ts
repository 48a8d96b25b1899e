/** The JSON of `/v1/admin/imports`: files that are brought in, their proposed mapping, and the result of a try or a load. */

import type {
  Doubt,
  FromObject,
  Table as ProposedTable,
  RowRuleObject,
  Setting,
  Unread,
} from '../../../../src/pull/sheets/propose/proposal.js'
import type { Counts } from '../loads.js'
import type { WarningKind } from '../warning-kinds.js'
import type { AccountOfSheets } from './account.js'
import type { Figures } from './figures.js'

export type { Doubt, FoundColumn, SampleRow } from '../../../../src/pull/sheets/propose/proposal.js'
export type From = FromObject
export type RowRule = RowRuleObject

export interface Problem {
  /** With the sheet: `Sales.xlsx[Apr]`. */
  readonly file: string
  readonly line: number
  /** Such as C14. */
  readonly cell?: string
  readonly key?: Readonly<Record<string, string | null>>
  readonly column: string
  readonly value: string | null
  readonly message: string
}

export interface Result {
  readonly committed: boolean
  readonly version: number
  readonly rows: number
  readonly entities: Readonly<Record<string, Counts>>
  readonly errors: { readonly count: number; readonly first: readonly Problem[] }
  readonly warnings: { readonly count: number; readonly kinds: readonly WarningKind[] }
  readonly account: AccountOfSheets | null
  readonly figures: { readonly before: Figures; readonly after: Figures } | null
}

export interface Brought {
  readonly id: string
  readonly phase: 'open' | 'waiting' | 'reading' | 'merging' | 'loaded'
  readonly action: 'look' | 'try' | 'load' | 'undo' | 'sample' | null
  readonly what: string | null
  readonly done: number
  readonly rows: number
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  readonly mapping: string | null
  readonly named: string | null
  readonly looked: boolean
  readonly result: Result | null
  readonly error: string | null
}

export interface KeptMapping {
  readonly name: string
  readonly changed_at: string
  readonly fits: boolean
}

export interface EntityColumn {
  readonly name: string
  readonly about: string
  readonly required: boolean
  readonly by_name: boolean
  readonly is_day: boolean
  /** The values that it can have; null for any. */
  readonly words: readonly string[] | null
}

export interface EntityAbout {
  readonly name: string
  readonly about: string
  readonly key: readonly string[]
  readonly columns: readonly EntityColumn[]
}

/** A rule of a mapping, as its file has it. */
export interface Given {
  readonly header?: string
  readonly columns?: Readonly<Record<string, From>>
  readonly constants?: Readonly<Record<string, string>>
  readonly leave_out?: RowRule | readonly RowRule[]
  readonly first?: string
  readonly [more: string]: unknown
}

export interface MappingObject {
  readonly dates?: string | readonly string[]
  readonly entities: Readonly<Record<string, Given | readonly Given[]>>
  readonly [more: string]: unknown
}

/** A table of the proposal, whose rules may have been changed by hand. */
export interface Table extends Omit<ProposedTable, 'rules'> {
  readonly rules: readonly { readonly entity: string; readonly given: Given; readonly doubts: readonly Doubt[] }[]
}

export interface Proposal {
  readonly settings: {
    readonly dates: Setting<readonly string[]> | null
    readonly decimal: Setting<string> | null
    readonly year_begins: Setting<number> | null
  }
  readonly tables: readonly Table[]
  readonly mapping: MappingObject
  readonly unread: readonly Unread[]
}
