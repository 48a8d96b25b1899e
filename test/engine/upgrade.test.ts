/** The backup of each release is restored and migrated, and its reports have the same records as in that release. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createClient } from '../../src/access/clients.js'
import { readBackupFile } from '../../src/backup/file.js'
import { restore } from '../../src/backup/read.js'
import { migrate } from '../../src/db/migrate.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { reports } from '../../src/reports/index.js'
import { buildApp } from '../../src/runtime/app.js'
import { databaseForThisTest } from '../setup/database.js'
import { requestsFor } from '../setup/requests.js'

const folder = fileURLToPath(new URL('../fixtures/', import.meta.url))
const releases = readdirSync(folder).flatMap((file) => /^(.+)\.backup$/.exec(file)?.[1] ?? [])
const range = { from_date: '2026-06-01', to_date: '2026-06-30' }

type Fields = Record<string, unknown>

/** Fields in the document's own currency and unit. */
const STATED = [
  ...['taxable_amt', 'tax_amt', 'shipping_amt', 'adjustment_amt', 'total_amt', 'discount_amt', 'qty', 'rate', 'mrp'],
  ...[
    'effective_rate',
    'received_qty',
    'accepted_qty',
    'rejected_qty',
    'shipping',
    'adjustment',
    'sub_total',
    'total_tax',
  ],
  ...['round_amt', 'final_amt', 'taxable_value', 'total_value', 'uom'],
].flatMap((name) => [`document_${name}`, `items.document_${name}`])
const DOCUMENT = ['currency', 'exchange_rate', 'taxes', ...STATED]
/** Fields added to reports since then; fields of lines as `lines.field`. */
const ADDED: Record<string, string[]> = {
  'purchase.purchase-orders-list': ['items.delivery', ...DOCUMENT],
  'grn.list': ['items.warehouse', ...DOCUMENT],
  'sales.invoices': ['invoice_type', 'credit_for', 'items.description', 'items.order_no', ...DOCUMENT],
  'sales.sales-orders': ['items.delivery_date', ...DOCUMENT],
  'partner.fg-bom': ['by_products'],
  'sales.demand-status': ['available_qty', 'short_qty'],
}

function without(record: Fields, added: readonly string[]): Fields {
  const rest = { ...record }
  for (const path of added) {
    const [field = '', ofLine] = path.split('.')
    if (ofLine === undefined) delete rest[field]
    else
      rest[field] = (rest[field] as Fields[]).map((line) => {
        const { [ofLine]: _added, ...others } = line
        return others
      })
  }
  return rest
}

it.each(releases)('%s', async (release) => {
  const database = await databaseForThisTest('empty')
  await restore(database, readBackupFile(`${folder}${release}.backup`, {}))
  await migrate(database.db)
  expect(await verify(database, { rebuild: false })).toEqual([])
  const client = await database.db.begin((tx) => createClient(tx, { name: 'a test', grants: ['client_credentials'] }))
  const app = await buildApp({ database, reports, logLevel: 'silent', leaseMs: 0 })
  const token = await app.inject({
    ...{ method: 'POST', url: '/oauth2/token' },
    payload: { grant_type: 'client_credentials', client_id: client.clientId, client_secret: client.clientSecret },
  })
  const headers = { authorization: `Bearer ${token.json().access_token}` }
  /** Checksums of the records of each report that does not depend on today. */
  const found: Record<string, string> = {}
  for (const report of reports) {
    const payload = requestsFor(report, range)[0] as object
    const response = await app.inject({ method: report.method, url: report.path, headers, payload })
    if (report.id === 'history.changes') {
      // The build that made the backup kept no past.
      expect([response.statusCode, response.json().detail]).toEqual([410, expect.stringContaining('is not kept')])
      continue
    }
    expect([report.id, response.statusCode]).toEqual([report.id, 200])
    const records = JSON.stringify(
      response.json().data.map((record: Fields) => without(record, ADDED[report.id] ?? [])),
    )
    if (!report.dependsOnToday || report.id in ADDED)
      found[report.id] = createHash('sha256').update(records).digest('hex').slice(0, 16)
  }
  await app.close()
  // The checksums of the build that made the backup. If a report changes on purpose, change its checksum by hand.
  const before = JSON.parse(readFileSync(`${folder}${release}.json`, 'utf8')) as Record<string, string>
  expect(Object.fromEntries(Object.keys(before).map((id) => [id, found[id]]))).toEqual(before)
})
