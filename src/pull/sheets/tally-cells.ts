/** The cells of a record of Tally: its attributes, the tags without parts, and short lists such as an address. */
import type { SheetCell } from './sheet.js'
import { tallyCell } from './tally-values.js'
import type { Attributes } from './xml.js'

export interface Element {
  readonly tag: string
  readonly attributes: Attributes
  readonly text: string
  readonly children: Element[]
}

export interface TallyRow {
  readonly sheet: string
  readonly cells: ReadonlyMap<string, SheetCell>
}

export type Cells = Map<string, SheetCell>

export function ownCells({ attributes, children }: Element): Cells {
  const cells: Cells = new Map()
  for (const [name, text] of Object.entries(attributes)) set(cells, name, text)
  for (const { tag, text, children: parts } of children)
    if (parts.length === 0) set(cells, tag, text)
    else if (tag === 'ADDRESS.LIST') set(cells, 'ADDRESS', parts.map((part) => part.text.trim()).join(', '))
    else if (tag === 'LANGUAGENAME.LIST') {
      const names = parts.filter((part) => part.tag === 'NAME.LIST').flatMap((part) => part.children)
      if (!cells.has('NAME')) set(cells, 'NAME', names[0]?.text ?? '')
      set(cells, 'alias', names[1]?.text ?? '')
    }
  return cells
}

function set(cells: Cells, name: string, text: string): void {
  const cell = tallyCell(name, text)
  if (cell !== null) cells.set(name, cell)
}

export const prefixed = (parent: string, cells: Cells): Cells =>
  new Map([...cells].map(([name, cell]) => [`${parent}/${name}`, cell]))

/** The amount with the other sign. */
export function setNegated(cells: Cells, from: string, to: string): void {
  const text = cells.get(from)
  if (typeof text !== 'string') return
  cells.set(to, text.startsWith('-') ? text.slice(1) : /^[+]?0*(\.0*)?$/.test(text) ? text : `-${text}`)
}
