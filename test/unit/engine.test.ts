/** Only src/db/ depends on the engine; the command line and doctor.ts may print its name. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** Signs of a branch on the engine: its name, the words that name it, or a module of one engine. */
const KNOWS =
  /engine\.name|engine === |'(embedded|server|cluster)'|\.distributed\b|isDistributed|db\/(embedded|cluster|server)\b/
const MAY = /^(db|cli)\/|^runtime\/doctor\.ts$/
/** In these files, `server` is OpenTelemetry's name for a kind of span. */
const SPANS = new Set(['metrics/traces.ts', 'http/observe.ts'])

it('nothing outside src/db/ depends on the engine', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(300)
  const found = files
    .filter((file) => !MAY.test(file) && !SPANS.has(file))
    .flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .flatMap((line, i) => (KNOWS.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : [])),
    )
  expect(found).toEqual([])
})

it('each advisory lock has a number of its own', () => {
  const numbers = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => readFileSync(join(src, file), 'utf8').match(/(?<= = )7_461_203_\d+/g) ?? [])
  expect(numbers.length).toBeGreaterThan(4)
  expect(new Set(numbers).size).toBe(numbers.length)
})
