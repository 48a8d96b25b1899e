import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { loadSample } from '../dist/demo/sample.js'
import { importPage } from '../dist/import/document.js'
import { metricsTable } from '../dist/metrics/document.js'
import { reports } from '../dist/reports/index.js'
import { closeExample, EXAMPLE_DAY, examplesOf } from '../dist/surfaces/docs/examples.js'
import { reportsPage } from '../dist/surfaces/docs/reports-page.js'

writeFileSync(new URL('../docs/import.md', import.meta.url), importPage())

const metrics = new URL('../docs/metrics.md', import.meta.url)
const table = /(<!-- metrics -->\n).*(<!-- end of metrics -->)/s
writeFileSync(metrics, readFileSync(metrics, 'utf8').replace(table, `$1${metricsTable()}\n$2`))

const directory = mkdtempSync(join(tmpdir(), 'millbook-docs-'))
const database = await connect({ directory })
try {
  await migrate(database.db)
  await loadSample(database, { today: EXAMPLE_DAY })
  await closeExample(database)
  const examples = await examplesOf(database.db, reports)
  writeFileSync(new URL('../docs/reports.md', import.meta.url), reportsPage(reports, examples))
  writeExamples(examples)
} finally {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
}

/** The examples of the OpenAPI document: one report per line, so that a diff shows which reports changed. */
function writeExamples(/** @type {Awaited<ReturnType<typeof examplesOf>>} */ examples) {
  const lines = Object.entries(examples).map(([id, own]) => `  ${JSON.stringify(id)}: ${JSON.stringify(own)}`)
  writeFileSync(new URL('../src/surfaces/rest/examples.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`)
}
