/**
 * A plain implementation of two endpoints: query, JSON.stringify, send. It has no snapshots, computes stock from the raw
 * ledger, and slices a page of stock from the whole report.
 */
import fastify from 'fastify'
import pg from 'pg'
import { prepared } from '../lib/sql.mjs'

const [token, url = ''] = process.argv.slice(2)
const db = new pg.Pool({ connectionString: url, options: '-c jit=off' })
const stock = prepared('fg-stock-status.raw')
const invoices = prepared('invoices.page')
const count = prepared('invoice-count')

/** @param {ReturnType<typeof prepared>} statement @param {Record<string, any>} values */
const run = async (statement, values) => {
  const { name, text, parameters } = statement
  return (await db.query({ name, text, values: parameters.map((parameter) => values[parameter]) })).rows
}

const app = fastify()
app.addHook('onRequest', async (request, reply) => {
  if (request.headers.authorization !== `Bearer ${token}`) return reply.code(401).send()
})
app.post('/v1/inventory/fg-stock-status', async (request, reply) => {
  const { from_date, to_date } = /** @type {any} */ (request.body)
  const page = Number(/** @type {any} */ (request.query).page ?? 0)
  const rows = await run(stock, { from: from_date, to: to_date })
  const data = page === 0 ? rows : rows.slice((page - 1) * 20, page * 20)
  return reply.type('application/json').send(JSON.stringify({ data, total: rows.length }))
})
app.post('/v1/sales/invoices', async (request, reply) => {
  const { from_date, to_date } = /** @type {any} */ (request.body)
  const page = Number(/** @type {any} */ (request.query).page ?? 1)
  const values = { from: from_date, to: to_date, offset: (page - 1) * 1000 }
  const [data, [total]] = await Promise.all([run(invoices, values), run(count, values)])
  return reply.type('application/json').send(JSON.stringify({ data, ...total }))
})
console.log(JSON.stringify({ base_url: await app.listen({ port: 0, host: '127.0.0.1' }) }))
process.on('SIGTERM', () => process.exit())
