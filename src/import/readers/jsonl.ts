/** Reads JSON lines: one object per line. */
import { MillbookError } from '../../errors.js'
import type { Cell } from '../columns.js'
import type { Rows } from '../source.js'
import type { Listener } from './reader.js'
import { LONGEST_ROW, readText } from './text.js'

export async function* readJsonl(
  file: string,
  name: string,
  { onBytes }: Listener,
  bytesAtATime?: number,
): AsyncGenerator<Rows> {
  let line = 0
  let rest = ''

  const rowsOf = (lines: readonly string[]): Rows => {
    const rows: Rows = []
    for (const text of lines) {
      line++
      checkLength(text, line)
      if (text.trim() === '') continue
      const value = parse(text)
      rows.push({ line, header: Object.keys(value), cells: Object.values(value) })
    }
    return rows
  }

  const parse = (text: string): Record<string, Cell> => {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      throw new MillbookError(`${name}:${line}: not JSON: ${(error as Error).message}`)
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new MillbookError(`${name}:${line}: the line is not a JSON object`)
    return value as Record<string, Cell>
  }

  const checkLength = (text: string, at: number) => {
    if (text.length > LONGEST_ROW)
      throw new MillbookError(
        `${name}:${at}: the line has more than ${LONGEST_ROW} characters; each line is one object`,
      )
  }

  const text = readText({ file, name, saveAs: 'UTF-8', line: () => line, onBytes, bytesAtATime })
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield rowsOf(lines)
    checkLength(rest, line + 1)
  }
  yield rowsOf([rest])
}
