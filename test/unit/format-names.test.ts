/** Only src/formats/ names formats: adding one takes a file and a line there, and `npm run client`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Format } from '../../src/formats/format.js'
import { formatParam, formats } from '../../src/formats/index.js'
import { clientFormats } from '../setup/client-formats.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Files for import and pull have formats too, with separate lists. */
const OF_IMPORTS =
  /^src\/(bring|import|pull)\/|^src\/demo\/files\.ts$|^src\/cli\/(import|pull|reject)\.ts$|^src\/surfaces\/admin\/operations\/imports\.ts$|^console\/src\/(operate\/bring\/|overview\/empty\.tsx$)/

/** `json` is left out, because almost every file has it. */
const names = formats.map(({ name }) => name).filter((name) => name !== 'json')

const namedIn = (code: string): string[] => {
  const withoutComments = code.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')
  return names.filter((name) => new RegExp(`\\b${name}\\b`, 'i').test(withoutComments))
}

it('no file of src/ and console/ names a format outside of src/formats/', () => {
  const files = ['src', 'console/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  const checked = files.filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !file.startsWith('src/formats/') &&
      file !== 'src/client/formats.ts' && // generated from the list
      !OF_IMPORTS.test(file),
  )
  expect(checked.length).toBeGreaterThan(300)
  const named = checked.map((file) => [file, namedIn(readFileSync(join(ROOT, file), 'utf8'))] as const)
  expect(named.filter(([, found]) => found.length > 0)).toEqual([])
  expect(namedIn(`const NAMES = { xlsx: 'Excel', other: 1 } // parquet`)).toEqual(['xlsx'])
})

it('a format added to the list becomes a value of the parameter `format` and of the client', () => {
  expect(formatParam.type).toMatchObject({ kind: 'word', words: formats.map(({ name }) => name) })
  const other: Format = { ...(formats[1] as Format), name: 'other', extension: 'other' }
  expect(clientFormats([...formats, other])).toMatch(/^export type FileFormat = .* \| 'other'$/m)
})

it('an independent program reads every format in test/engine/readers.test.ts', () => {
  const readers = readFileSync(join(ROOT, 'test/engine/readers.test.ts'), 'utf8')
  expect(names.filter((name) => !readers.includes(`'${name}'`))).toEqual([])
})
