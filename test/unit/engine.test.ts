/** Only src/db/ knows which engine runs; the command line and doctor.ts may print it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../../src/', import.meta.url))

/** A branch on the mode: the engine's name, the words that name it, or a module of one engine. */
const KNOWS =
  /engine\.name|engine === |'(embedded|server|cluster)'|\.distributed\b|isDistributed|db\/(embedded|cluster|server)\b/
const MAY = /^(db|cli)\/|^runtime\/doctor\.ts$/
/** Spans of a trace have the kind `server`, which OpenTelemetry names so. */
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
