/** JSON lines: every object is read with its line number, in chunks of any size. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { readJsonl } from '../../src/import/readers/jsonl.js'
import { runs } from '../setup/tier.js'
import { unicodeText } from '../setup/unicode-text.js'

const folder = mkdtempSync(join(tmpdir(), 'millbook-jsonl-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'x.jsonl')

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
  for await (const batch of readJsonl(file, 'x.jsonl', listener, bytesAtATime)) rows.push(...batch)
  return rows
}

it('any objects are read unchanged, with any line ending and in chunks of any size', async () => {
  const text = fc.oneof(unicodeText(), fc.constantFrom('मसाला', '🥜', '\u2028', '\uFFFD', '\n'))
  const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))
  const objects = fc.array(fc.option(fc.dictionary(fc.constantFrom('a', 'b', 'c'), value)), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      ...([objects, fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.integer({ min: 1, max: 30 })] as const),
      async (lines, newline, bom, chunk) => {
        const content = lines.map((line) => (line === null ? '' : JSON.stringify(line))).join(newline)
        const expected = lines.flatMap((line, i) =>
          line === null ? [] : [{ line: i + 1, header: Object.keys(line), cells: Object.values(line) }],
        )
        expect(await read(`${bom ? '\uFEFF' : ''}${content}`, chunk)).toEqual(expected)
      },
    ),
    { numRuns: runs(50, 1000) },
  )
})

it.each([1, 3, 1000])('invalid JSON lines are reported with their line, in pieces of %i bytes', async (chunk) => {
  const wrong: [string | Buffer, string | RegExp][] = [
    ['{"a":1}\n{"a"\n', /^x\.jsonl:2: not JSON: /],
    ['{"a":1}\n\n[1]', 'x.jsonl:3: the line is not a JSON object'],
    [Buffer.from('{"a":"Caf\xe9"}\n', 'latin1'), 'the file is not UTF-8; save it as UTF-8'],
    [Buffer.from('\uFEFF{"a":1}\n', 'utf16le'), 'x.jsonl: the file is UTF-16; save it as UTF-8'],
  ]
  for (const [content, message] of wrong) await expect(read(content, chunk)).rejects.toThrow(message)
})

it('an endless line is reported before much of it is read', async () => {
  await expect(read(`{"a":1}\n[${'{"a":1},'.repeat(800_000)}`)).rejects.toThrow(
    'x.jsonl:2: the line has more than 1048576 characters; each line is one object',
  )
  expect(bytesRead).toBeLessThan(4 << 20)
  const longest = JSON.stringify({ a: 'x'.repeat((1 << 20) - 8) })
  expect(await read(longest)).toHaveLength(1)
  await expect(read(`${longest} `, 1 << 22)).rejects.toThrow('x.jsonl:1: the line has more than')
})
