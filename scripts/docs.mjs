/** Writes the pages that are made from the code: run `npm run docs` after a change of an entity or a report. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../dist/db/connect.js'
import { migrate } from '../dist/db/migrate.js'
import { loadSample } from '../dist/demo/sample.js'
import { importPage } from '../dist/import/document.js'
import { reports } from '../dist/reports/index.js'
import { examplesOf } from '../dist/surfaces/docs/examples.js'
import { EXAMPLE_DAY, reportsPage } from '../dist/surfaces/docs/reports-page.js'

writeFileSync(new URL('../docs/import.md', import.meta.url), importPage())

const directory = mkdtempSync(join(tmpdir(), 'millbook-docs-'))
const database = await connect({ engine: 'embedded', directory })
try {
  await migrate(database.db)
  await loadSample(database, { today: EXAMPLE_DAY })
  const examples = await examplesOf(database.db, reports)
  writeFileSync(new URL('../docs/reports.md', import.meta.url), reportsPage(reports, examples))
} finally {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
}
