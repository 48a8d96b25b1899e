/** The JSON of `/v1/admin/imports`: files that are brought in, their proposed mapping, and the result of a try or a load. */
import type { Counts } from '../loads.js'
import type { WarningKind } from '../warning-kinds.js'
import type { AccountOfSheets } from './account.js'
import type { Figures } from './figures.js'

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

/** Where the value of an import's column comes from, as a mapping file has it. */
export type From =
  | string
  | {
      readonly column?: string
      readonly take?: string
      readonly values?: Readonly<Record<string, string>>
      readonly round?: string
      readonly fill?: string
      readonly count?: string
      readonly text?: string
      readonly code?: string
      readonly sum?: string
      readonly calc?: string
    }

export interface RowRule {
  readonly column: string
  readonly like?: string | readonly string[]
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

export interface Doubt {
  readonly column?: string
  readonly reason: string
  readonly needed?: boolean
}

export interface FoundColumn {
  readonly letter: string
  readonly heading: string
  readonly name: string
  readonly kind: string
  readonly units: readonly string[]
  readonly examples: readonly string[]
  readonly filled: number
}

export interface SampleRow {
  readonly line: number
  readonly role: 'title' | 'header' | 'row' | 'total' | 'blank'
  readonly cells: readonly string[]
}

export interface Table {
  readonly id: string
  readonly sheets: readonly {
    readonly file: string
    readonly sheet: string
    readonly hidden: boolean
    readonly rows: number
  }[]
  readonly header: { readonly first: number; readonly last: number }
  readonly columns: readonly FoundColumn[]
  readonly sample: readonly SampleRow[]
  readonly rules: readonly { readonly entity: string; readonly given: Given; readonly doubts: readonly Doubt[] }[]
  readonly doubts: readonly Doubt[]
}

interface Setting<Value> {
  readonly value: Value
  readonly why: string
  readonly unsure: boolean
}

export interface Proposal {
  readonly settings: {
    readonly dates: Setting<readonly string[]> | null
    readonly decimal: Setting<string> | null
    readonly year_begins: Setting<number> | null
  }
  readonly tables: readonly Table[]
  readonly mapping: MappingObject
  readonly unread: readonly { readonly file: string; readonly sheet: string; readonly why: string }[]
}
