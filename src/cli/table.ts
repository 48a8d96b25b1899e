/** A table that fits the terminal: columns shrink first; columns that still do not fit are left out, and their names returned. */
import { printable } from './print.js'

export interface TableColumn {
  readonly name: string
  /** Whether it is aligned to the right. */
  readonly isNumber: boolean
}

const SHORTEST = 14
const LONGEST = 40
const GAP = '  '
const CUT = '…'

/** How many cells of a terminal a text takes: wide letters and emoji take two, marks none. */
export function widthOf(text: string): number {
  let width = 0
  for (const letter of text)
    if (!/\p{Mn}|\p{Me}|\u200d|\ufe0f/u.test(letter))
      width +=
        /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u.test(
          letter,
        )
          ? 2
          : 1
  return width
}

function fitted(text: string, width: number, right: boolean): string {
  let shown = text
  if (widthOf(text) > width) {
    shown = ''
    for (const letter of text) {
      if (widthOf(shown + letter) > width - 1) break
      shown += letter
    }
    shown += CUT
  }
  const blank = ' '.repeat(Math.max(0, width - widthOf(shown)))
  return right ? blank + shown : shown + blank
}

/** The lines of the table, and the names of the columns that were left out; `width` is the terminal's, if there is a terminal. */
export function tableLines(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  width: number | undefined,
): { lines: string[]; hidden: string[] } {
  const cells = rows.map((row) => row.map(printable))
  const natural = columns.map(({ name }, i) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[i] as string)), widthOf(name)),
  )
  const { widths, shown } =
    width === undefined ? { widths: natural, shown: columns.length } : fitting(natural, columns, width)
  const line = (row: readonly string[]) =>
    row
      .slice(0, shown)
      .map((cell, i) => fitted(cell, widths[i] as number, columns[i]?.isNumber ?? false))
      .join(GAP)
      .trimEnd()
  const rule = widths.slice(0, shown).map((width) => '─'.repeat(width))
  return {
    lines: [line(columns.map(({ name }) => name)), rule.join(GAP), ...cells.map(line)],
    hidden: columns.slice(shown).map(({ name }) => name),
  }
}

/** Text columns shrink down to a few letters, the widest first; number columns never shrink. */
function fitting(natural: readonly number[], columns: readonly TableColumn[], width: number) {
  const widths = natural.map((own, i) => (columns[i]?.isNumber ? own : Math.min(own, LONGEST)))
  let shown = columns.length
  const sum = () => widths.slice(0, shown).reduce((all, own) => all + own + GAP.length, -GAP.length)
  while (shown > 1) {
    const smallest = widths
      .slice(0, shown)
      .reduce((all, own, i) => all + (columns[i]?.isNumber ? own : Math.min(own, SHORTEST)) + GAP.length, -GAP.length)
    if (smallest <= width) break
    shown--
  }
  while (sum() > width) {
    let widest = -1
    for (let i = 0; i < shown; i++)
      if (!columns[i]?.isNumber && (widths[i] as number) > SHORTEST && (widths[i] as number) > (widths[widest] ?? 0))
        widest = i
    if (widest < 0) break
    widths[widest] = (widths[widest] as number) - 1
  }
  return { widths, shown }
}
