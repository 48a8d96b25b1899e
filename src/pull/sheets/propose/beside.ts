/** Another table to the right of a table: its rows have nothing to do with the rows beside them. */
import { type Headings, letterOf } from '../headings.js'
import { type SheetRow, textOf } from '../sheet.js'
import { meaningOf, plainHeading } from './meaning.js'
import type { Doubt } from './proposal.js'
import type { Concept } from './words.js'

/** Names the thing that a row is about; a table has one column of each. */
const ITEMS_AND_PARTIES: readonly Concept[] = [
  ...(['item', 'item_code', 'particulars', 'material', 'party', 'customer', 'vendor'] as const),
]
const NAMES: readonly Concept[] = [...ITEMS_AND_PARTIES, 'date', 'invoice_no', 'voucher_no']

/** The place of the first column of a table beside this one: its names come again, behind an empty column or with other cells. */
export function besideFrom({ full, own }: Headings, rows: readonly SheetRow[]): number | undefined {
  const concepts = full.map((heading, at) => meaningOf(heading, own[at] as string).concept)
  const isGap = (at: number) => own[at] === '' && rows.every(({ cells }) => textOf(cells[at]) === '')
  const differs = (a: number, b: number) => {
    const both = rows.filter(({ cells }) => textOf(cells[a]) !== '' && textOf(cells[b]) !== '')
    return both.filter(({ cells }) => textOf(cells[a]) !== textOf(cells[b])).length * 2 > both.length
  }
  for (const [at, concept] of concepts.entries()) {
    if (concept === undefined || !NAMES.includes(concept)) continue
    const first = concepts.indexOf(concept)
    if (first === at) continue
    const gap = own.findLastIndex((_, place) => place > first && place < at && isGap(place))
    if (gap !== -1) return gap + 1
    const isRepeated = plainHeading(full[first] as string) === plainHeading(full[at] as string)
    if (isRepeated && ITEMS_AND_PARTIES.includes(concept) && differs(first, at)) return at
  }
  return undefined
}

export const besideDoubt = (from: number, { own }: Headings): Doubt => ({
  reason: `columns ${letterOf(from)} to ${letterOf(own.length - 1)} were taken for another table beside this one, and no rule reads them: give it a sheet to itself`,
  needed: true,
})
