/**
 * `npm run bench [-- NAME…] [--scale N]`: measures, and prints one JSON line per figure on stdout:
 * {"name","value","unit","baseline","ratio"}. The baseline is measured in the same run on the same machine; `ratio` is
 * value ÷ baseline. Every file of this folder beside this one is a benchmark and exports `run`.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../scripts/postgres.mjs'

/**
 * @typedef {object} Bench
 * @property {string} folder for files, removed afterwards
 * @property {() => Promise<string>} newDatabase the address of an empty PostgreSQL database
 * @property {number} scale part of the full size, 1 by default
 * @property {(line: string) => void} tell says what is going on
 * @property {(name: string, value: number, unit: string, baseline: number) => void} figure
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' } },
})
const here = fileURLToPath(new URL('.', import.meta.url))
const names = readdirSync(here)
  .filter((name) => name.endsWith('.mjs') && name !== 'run.mjs')
  .map((name) => name.slice(0, -4))
const unknown = positionals.find((name) => !names.includes(name))
if (unknown !== undefined) throw new Error(`there is no benchmark ${unknown}; there are ${names.join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'millbook-bench-'))
// As a careful operator would set it on a small machine.
const settings = { shared_buffers: '512MB', max_wal_size: '8GB', maintenance_work_mem: '256MB' }
const server = await startPostgres(join(folder, 'server'), { settings })
let databases = 0
/** @param {number} n */
const rounded = (n) => (Math.abs(n) >= 100 ? Math.round(n) : Number(n.toPrecision(3)))

/** @type {Bench} */
const bench = {
  folder,
  newDatabase: async () => {
    const { connect } = await import('../dist/db/connect.js')
    const name = `bench${++databases}`
    const admin = await connect({ engine: 'server', url: `${server.url}postgres` })
    await admin.db.unsafe(`create database ${name}`)
    await admin.close()
    return `${server.url}${name}`
  },
  scale: Number(values.scale),
  tell: (line) => void process.stderr.write(`${line}\n`),
  figure: (name, value, unit, baseline) => {
    const ratio = Number((value / baseline).toPrecision(3))
    console.log(JSON.stringify({ name, value: rounded(value), unit, baseline: rounded(baseline), ratio }))
  },
}
try {
  for (const name of positionals.length > 0 ? positionals : names) {
    bench.tell(`== ${name}`)
    const { run } = await import(`./${name}.mjs`)
    await run(bench)
  }
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
