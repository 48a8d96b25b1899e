/** A table as the makers of rules see it: its columns by meaning, and what is known of the whole folder. */
import type { ColumnName } from '../mapping.js'
import type { Masters } from '../masters.js'
import { currenciesOf } from '../measures.js'
import { type About, aboutOf } from './about.js'
import type { Field } from './field.js'
import type { FoundTable } from './found.js'
import type { Doubt, FromObject, RowRuleObject, TableSheet } from './proposal.js'
import { type Concept, MONEY } from './words.js'

/** A rule before the names of files and sheets. */
export interface Draft {
  readonly entity: string
  /** Of several rules for one entity, the smaller one comes first. */
  readonly rank: number
  readonly columns: Record<string, FromObject>
  readonly constants?: Record<string, string>
  readonly first?: 'true' | 'any'
  readonly only?: readonly RowRuleObject[]
  readonly leaveOut?: readonly RowRuleObject[]
  readonly unless?: ColumnName
  /** It reads these sheets of the table only. */
  readonly sheets?: readonly TableSheet[]
  /** The first month of the year in its keys. */
  readonly yearBegins?: number
  /** It loads the stock of one day. */
  readonly isStock?: true
  readonly doubts?: readonly Doubt[]
}

/** Rules of one entity, the surest list first; later ones only add what is missing. */
export const RANK = { list: 0, sold: 10, made: 20, used: 30, bought: 40, stock: 50 } as const

export interface Known {
  readonly masters: Masters
  /** Reads a date as the mapping will. */
  readonly date: (text: string) => string | undefined
  /** The books look Indian: a year from April, GST. */
  readonly isIndian: boolean
  /** Codes and names in lists of the folder, by entity. */
  readonly lists: ReadonlyMap<string, { readonly codes: ReadonlySet<string>; readonly names: ReadonlySet<string> }>
}

export class Context {
  readonly table: FoundTable
  readonly known: Known
  readonly #about: readonly (readonly About[])[]

  constructor(table: FoundTable, known: Known) {
    this.table = table
    this.known = known
    const [sheet] = table.sheets
    // The name of the sheet says more than the file's, and this more than titles, which have the company's name.
    this.#about = [[sheet?.sheet ?? ''], [sheet?.file ?? ''], table.titles].map(aboutOf)
  }

  /** The first of these columns that is there, has cells, and holds what its heading says. */
  field(...concepts: readonly Concept[]): Field | undefined {
    for (const concept of concepts) {
      const first = this.table.by(concept)
      const rest = this.table.all(concept).filter(({ place }) => place !== first?.place)
      const found = this.#inOwnCurrency(first === undefined ? rest : [first, ...rest]).find(
        ({ evidence }) => evidence.filled > 0 && !evidence.contradicts(concept),
      )
      if (found !== undefined && (found.place === first?.place || MONEY.has(concept)))
        return found.concept === concept ? found : { ...found, concept }
    }
    return undefined
  }

  /** All columns of these meanings that have cells, as `field` has the first; the ones in the currency of the books, if there are any. */
  readonly every = (...concepts: readonly Concept[]): Field[] => {
    const found = concepts.flatMap((concept) =>
      this.table.all(concept).filter(({ evidence }) => evidence.filled > 0 && !evidence.contradicts(concept)),
    )
    return this.#inOwnCurrency(found)
  }

  /** Amount (USD) is not read as rupees while another column is in rupees. */
  #inOwnCurrency(fields: readonly Field[]): Field[] {
    const isOwn = ({ currency }: Field) =>
      currency === undefined || currenciesOf(currency).includes(this.known.masters.currency)
    const hasOwn = this.table.fields.some(
      ({ currency, meaning }) => currency !== undefined && meaning !== undefined && isOwn({ currency } as Field),
    )
    return hasOwn ? fields.filter(isOwn) : [...fields]
  }

  has = (...concepts: readonly Concept[]): boolean => this.field(...concepts) !== undefined

  /** What the names say first of all; undefined if they say none of these. */
  about(...among: readonly About[]): About | undefined {
    for (const level of this.#about) {
      const found = among.find((one) => level.includes(one))
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The column's cells, filled down if rows that go on with a document lack them. */
  cell(field: Field, fill: 'down' | 'all' = 'down'): FromObject {
    const how = fillOf(field, fill)
    return how === undefined ? field.name : { column: field.name, fill: how }
  }

  /** The code of an item, customer or vendor in a column of names; a list in the folder may say that they are codes. */
  code(entity: 'items' | 'customers' | 'vendors', field: Field, how: 'down' | 'all' = 'down'): FromObject {
    const codes = this.known.lists.get(entity)?.codes
    const texts = [...field.evidence.texts.keys()]
    const isCode = texts.length > 0 && codes !== undefined && texts.every((text) => codes.has(text))
    const given = fillOf(field, how)
    const fill = given === undefined ? {} : { fill: given }
    if (isCode) return this.cell(field, how)
    return { code: field.name, ...fill }
  }

  /** The code of goods, if no row lacks it. */
  get itemCode(): Field | undefined {
    const code = this.field('item_code')
    return code !== undefined && code.evidence.filled === this.table.rows ? code : undefined
  }

  /** Texts of a column that neither a list of the folder nor the stored ones have. */
  unknown(entity: 'items' | 'customers' | 'vendors', field: Field): string[] {
    const list = this.known.lists.get(entity)
    return [...field.evidence.texts.keys()].filter(
      (text) => !list?.codes.has(text) && !list?.names.has(plainName(text)) && !this.known.masters.knows(entity, text),
    )
  }
}

/** A cell that is merged over several documents counts for all of them. */
export const fillOf = ({ continued, merged }: Field, how: 'down' | 'all'): 'down' | 'all' | undefined =>
  merged.apart > 0 ? 'all' : continued.empty > 0 ? how : undefined

export const plainName = (name: string): string => name.normalize('NFKC').replace(/\s+/g, ' ').trim().toUpperCase()

/** Leaves out columns that are undefined. */
export const only = (columns: Readonly<Record<string, FromObject | undefined>>): Record<string, FromObject> =>
  Object.fromEntries(Object.entries(columns).flatMap(([name, from]) => (from === undefined ? [] : [[name, from]])))

export const list = (texts: readonly string[]): string =>
  `${texts.slice(0, 3).join(', ')}${texts.length > 3 ? ` and ${texts.length - 3} more` : ''}`
