/** CSV: any table that a spreadsheet writes is read unchanged, in chunks of any size. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { readCsv } from '../../src/import/readers/csv.js'
import { runs } from '../setup/tier.js'

const folder = mkdtempSync(join(tmpdir(), 'millbook-csv-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'x.csv')

let bytesRead = 0
const listener = {
  onBytes(bytes: number) {
    bytesRead += bytes
  },
  onHeader() {},
}

async function read(content: string | Buffer, bytesAtATime?: number) {
  writeFileSync(file, content)
  bytesRead = 0
  const rows = []
  for await (const batch of readCsv(file, 'x.csv', listener, bytesAtATime)) rows.push(...batch)
  return rows
}

const cell = fc.oneof(
  fc.constantFrom('', 'a', 'b,c', 'say "hi"', 'two\nlines', 'two\r\nlines', 'मसाला', '🥜', '"', ',', '\n', ' x '),
  fc.string({ maxLength: 8 }).filter((text) => !text.includes('\r')),
)
const table = fc
  .integer({ min: 1, max: 4 })
  .chain((width) => fc.array(fc.array(fc.option(cell), { minLength: width, maxLength: width }), { maxLength: 8 }))

it('any table is read unchanged, with any line ending and in chunks of any size', async () => {
  const quote = (value: string | null, always: boolean) =>
    value === null ? '' : always || /^$|[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
  await fc.assert(
    fc.asyncProperty(
      ...([
        table,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 30 }),
      ] as const),
      async (rows, newline, bom, always, last, chunk) => {
        const width = rows[0]?.length ?? 1
        const header = Array.from({ length: width }, (_, i) => `c${i}`)
        // A row without any value is an empty line or only commas, and passed over.
        const kept = rows.filter((row) => row.some((value) => value !== null))
        const lines = [header.join(','), ...kept.map((row) => row.map((value) => quote(value, always)).join(','))]
        const read_ = await read(`${bom ? '\uFEFF' : ''}${lines.join(newline)}${last ? newline : ''}`, chunk)
        expect(read_.map((row) => row.cells)).toEqual(kept)
        expect(read_.every((row) => row.header.join() === header.join())).toBe(true)
        const starts: number[] = []
        let line = 2
        for (const row of kept) {
          starts.push(line)
          line += 1 + row.reduce((sum, value) => sum + (value?.split('\n').length ?? 1) - 1, 0)
        }
        expect(read_.map((row) => row.line)).toEqual(starts)
      },
    ),
    { numRuns: runs(50, 1000) },
  )
})

it.each([1, 3, 1000])('invalid CSV is reported with its line, in pieces of %i bytes', async (chunk) => {
  const wrong: [string | Buffer, string][] = [
    ['a,b\n1,"2\n', 'x.csv:2: a quote is opened and never closed'],
    [
      'a,b\n1,2\n3,4"5\n',
      'x.csv:3: a cell contains a quote but does not begin with one; quote the whole cell and double the quotes in it',
    ],
    ['a,b\n"1"2,3\n', 'x.csv:2: a closing quote is not followed by a comma or the end of the line'],
    ['a,a\n1,2\n', 'x.csv:1: the column a appears twice'],
    ['', 'x.csv: the file is empty; its first line names the columns'],
    [Buffer.from([0x61, 0x0a, 0xff, 0x0a]), 'the file is not UTF-8'],
    [Buffer.from('\uFEFFa,b\r\n1,2\r\n', 'utf16le'), 'x.csv: the file is UTF-16; save it as "CSV UTF-8"'],
    [Buffer.from('\uFEFFa,b\n', 'utf16le').swap16(), 'x.csv: the file is UTF-16; save it as "CSV UTF-8"'],
    ['a;b\n1;2\n', 'x.csv:1: the columns are separated by semicolons; save the file with commas'],
    ['"a";"b"\r\n"1";"2"\r\n', 'x.csv:1: the columns are separated by semicolons; save the file with commas'],
    ['a\tb\n1\t2\n', 'x.csv:1: the columns are separated by tabs; save the file with commas'],
  ]
  for (const [content, message] of wrong) await expect(read(content, chunk)).rejects.toThrow(message)
})

it('a stray quote in a large file is reported with its line, before much is read', async () => {
  const lines = Array.from({ length: 400_000 }, (_, i) => `${i},a movement`)
  lines[7] = '7,"a movement'
  await expect(read(`a,b\n${lines.join('\n')}\n`)).rejects.toThrow(
    'x.csv:9: the record that begins here has more than 1048576 characters; is there a quote that is never closed?',
  )
  expect(bytesRead).toBeLessThan(4 << 20)
})

it.each([1 << 16, 1 << 20, 1 << 22])('a record is as long as it may be, in pieces of %i bytes', async (chunk) => {
  const longest = `1,${'x'.repeat((1 << 20) - 2)}`
  expect(await read(`a,b\n${longest}\n`, chunk)).toHaveLength(1)
  for (const longer of [`${longest}x`, `"${longest}"`, longest.replace(',', ',"x\n",')])
    await expect(read(`a,b\n${longer}\n3,4\n`, chunk)).rejects.toThrow('x.csv:2: the record that begins here has more')
})
