/**
 * Generates clients from the OpenAPI document of a running demo, compiles them, and fetches every report with each, its totals and its changes:
 * `npm run test:clients`. Generators are installed into a temporary folder, with the versions named in the files beside.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { reports } from '../dist/reports/index.js'
import { kindOf } from './generated-clients/client.mjs'
import openapiGenerator from './generated-clients/openapi-generator.mjs'
import openapiPythonClient from './generated-clients/openapi-python-client.mjs'
import openapiTypescript from './generated-clients/openapi-typescript.mjs'
import orval from './generated-clients/orval.mjs'
import postman from './generated-clients/postman.mjs'

/** @import { Call, Client, Target } from './generated-clients/client.mjs' */

/** @type {Client[]} */
const clients = [openapiTypescript, orval, openapiPythonClient, openapiGenerator, postman]

/** The kinds of question, and the end of the name of the form that answers each. */
const KINDS = [
  { kind: '', query: {}, form: 'Result' },
  { kind: ' totals', query: { totals: 'yes' }, form: 'TotalsResult' },
  { kind: ' since', query: { since: 'start' }, form: 'ChangesResult' },
]

const day = (/** @type {number} */ ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const range = { from_date: day(75), to_date: day(0) }

const folder = mkdtempSync(join(tmpdir(), 'millbook-clients-'))
const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const flags = ['--port', '0', '--data', join(folder, 'data'), '--json', '--scale', '0.2', '--months', '4']
const demo = spawn(process.execPath, [cli, 'demo', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
let failed = 0
let skipped = 0
try {
  const [line] = await once(createInterface({ input: demo.stdout }), 'line')
  const { base_url, ...credentials } = JSON.parse(line)
  const document = await (await fetch(`${base_url}/openapi.json`)).json()
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  /** @type {Target} */
  const target = {
    ...{ base_url, credentials, document: join(folder, 'openapi.json') },
    calls: callsOf(document, await latestBatch(base_url, credentials)),
  }
  const wanted = process.argv.slice(2)
  for (const client of clients) if (wanted.length === 0 || wanted.includes(client.name)) await check(client, target)
} finally {
  demo.kill()
  await once(demo, 'close')
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${failed} checks failed, ${skipped} clients were skipped.`)
process.exitCode = failed === 0 ? 0 : 1

async function check(/** @type {Client} */ client, /** @type {Target} */ target) {
  const missing = client.missing()
  if (missing !== undefined) {
    skipped++
    console.log(`${client.name}: skipped, because ${missing}`)
    return
  }
  const own = join(folder, client.name)
  mkdirSync(own)
  try {
    for (const { what, problem } of await client.run(own, target)) {
      if (problem !== undefined) failed++
      console.log(`${client.name}: ${what}: ${problem ?? 'ok'}`)
    }
  } catch (error) {
    failed++
    console.log(`${client.name}: failed: ${error instanceof Error ? error.message : error}`)
  }
}

/** A batch number of the running sample; the batch of the stored examples may be older than its books. */
async function latestBatch(/** @type {string} */ base_url, /** @type {object} */ credentials) {
  const post = async (/** @type {string} */ path, /** @type {object} */ body, headers = {}) => {
    const response = await fetch(base_url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return /** @type {any} */ (await response.json())
  }
  const { access_token } = await post('/oauth2/token', { grant_type: 'password', ...credentials })
  const { data } = await post('/v1/production/batches?per-page=1', range, { authorization: `Bearer ${access_token}` })
  return data[0].batch_no
}

/** Every kind of call for every shape of every report, over the latest months of the sample, with the names of the OpenAPI document. */
function callsOf(/** @type {any} */ document, /** @type {string} */ batch_no) {
  /** @type {Record<string, string>} */
  const known = { ...range, date: day(0), batch_no }
  return reports.flatMap((report) =>
    [...report.shapes.keys()].flatMap((shape, i) => {
      const operation = document.paths[report.path][report.method.toLowerCase()]
      const nameOf = (/** @type {{ $ref: string }} */ { $ref }) => /** @type {string} */ ($ref.split('/').at(-1))
      /** @type {string[]} */
      const forms =
        document.components.schemas[nameOf(operation.responses[200].content['application/json'].schema)].anyOf.map(
          nameOf,
        )
      /** @type {Record<string, unknown>} */
      const values = {}
      for (const [name, { required, example }] of Object.entries(report.request)) {
        if (name in known) values[name] = known[name]
        else if (name === report.shapedBy) values[name] = shape
        else if (required) values[name] = example
      }
      const body = operation.requestBody?.content['application/json'].schema
      return KINDS.map(({ kind, query, form }) => {
        /** @type {Call} */
        const call = {
          what: (shape === '' ? report.id : `${report.id} ${shape}`) + kind,
          path: report.path,
          method: report.method,
          operationId: operation.operationId,
          tag: operation.tags[0],
          bodyType: body && nameOf(body),
          values,
          query,
          form: /** @type {string} */ (forms.filter((name) => kindOf(name) === form)[i]),
        }
        return call
      })
    }),
  )
}
