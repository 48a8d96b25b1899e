/**
 * `npm run bench [-- NAME…] [--scale N] [--write]` runs benchmarks and prints one JSON line per figure on stdout:
 * {"name","value","unit","baseline","ratio"}. The baseline is measured in the same run on the same machine, or is a limit;
 * `ratio` is value ÷ baseline. lib/figures.mjs has the meaning and the target of each figure. `--write` updates
 * docs/performance.md. Every other file in this folder is a benchmark and exports `run`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../scripts/postgres.mjs'
import { figures, verdict } from './lib/figures.mjs'
import { writePage } from './lib/page.mjs'

/**
 * @typedef {object} Bench
 * @property {string} folder temporary folder, removed at the end
 * @property {(like?: string) => Promise<string>} newDatabase creates a PostgreSQL database, empty or a copy, and returns its URL
 * @property {() => Promise<void>} settle flushes pending writes of the databases and of the system
 * @property {number} scale fraction of the full size, 1 by default
 * @property {(line: string) => void} progress prints a line on stderr
 * @property {(name: string, value: number, unit: string, baseline: number) => void} figure
 *
 * @typedef {{ name: string, value: number, unit: string, baseline: number, ratio: number }} Figure
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' }, write: { type: 'boolean', default: false } },
})
const names = [
  'load',
  'incremental',
  'stock',
  'trace',
  'extremes',
  'skew',
  'listing',
  'cold',
  'whole',
  'groups',
  'insight',
  'history',
  'serving',
  'formats',
  'changes',
  'console',
  'replicas',
  'embedded',
  'demo',
]
const unknown = positionals.find((name) => !names.includes(name))
if (unknown !== undefined) throw new Error(`there is no benchmark ${unknown}; use ${names.join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'millbook-bench-'))
// Typical settings for a small machine.
const settings = {
  ...{ shared_buffers: '512MB', work_mem: '16MB', max_wal_size: '8GB', maintenance_work_mem: '256MB' },
  shared_preload_libraries: 'pg_stat_statements',
}
const server = await startPostgres({ settings })
let databases = 0
/** @param {number} n */
const rounded = (n) => (Math.abs(n) >= 100 ? Math.round(n) : Number(n.toPrecision(3)))

/** @type {Figure[]} */
const found = []
/** @type {Bench} */
const bench = {
  folder,
  newDatabase: async (like) => {
    const { connect } = await import('../dist/db/connect.js')
    const name = `bench${++databases}`
    const admin = await connect({ url: `${server.url}postgres` })
    await admin.db.unsafe(`create database ${name}${like === undefined ? '' : ` template ${like.split('/').at(-1)}`}`)
    await admin.close()
    return `${server.url}${name}`
  },
  settle: async () => {
    const { connect } = await import('../dist/db/connect.js')
    const admin = await connect({ url: `${server.url}postgres` })
    await admin.db.unsafe('checkpoint')
    await admin.close()
    execFileSync('sync')
  },
  scale: Number(values.scale),
  progress: (line) => void process.stderr.write(`${line}\n`),
  figure: (name, value, unit, baseline) => {
    if (!(name in figures)) throw new Error(`the figure ${name} is missing in lib/figures.mjs; describe it there`)
    const ratio = Number((value / baseline).toPrecision(3))
    const figure = { name, value: rounded(value), unit, baseline: rounded(baseline), ratio }
    found.push(figure)
    console.log(JSON.stringify(figure))
    bench.progress(`${name}: ${ratio}, ${verdict(figure)}`)
  },
}
try {
  for (const name of positionals.length > 0 ? positionals : names) {
    bench.progress(`== ${name}`)
    const { run } = await import(`./${name}.mjs`)
    await run(bench)
  }
  if (values.write) writePage(found, bench.scale)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
