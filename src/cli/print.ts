/** Prints times, facts and tables for people. */

/** A time to the minute, or the second, in UTC. */
export function timeOf(date: Date | null, to: 'minute' | 'second' = 'minute'): string {
  if (date === null) return '-'
  const text = date.toISOString().replace('T', ' ')
  return `${text.slice(0, to === 'minute' ? 16 : 19)}Z`
}

export const stateOf = (disabledAt: Date | null): string =>
  disabledAt === null ? 'active' : `disabled since ${timeOf(disabledAt)}`

/** "1 token", "2,000 tokens". */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** One fact per line, after its name. */
export function printFacts(facts: Record<string, string>): void {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  for (const [name, value] of Object.entries(facts)) console.log(`${name.padEnd(width)}  ${printable(value)}`)
}

/** Columns under their names, as wide as their widest cell. */
export function printTable(names: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [names, ...rows].map((row) => row.map(printable))
  const widths = names.map((_, column) =>
    cells.reduce((width, row) => Math.max(width, (row[column] as string).length), 0),
  )
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] as number)).join('  ')
  console.log(cells.map((row) => line(row).trimEnd()).join('\n'))
}

/** Text from the database must not control the reader's terminal. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, '\ufffd')
