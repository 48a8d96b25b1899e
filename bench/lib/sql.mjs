/** Hand-written SQL: bench/sql/NAME.sql, with parameters as :name, followed by REPORT.record.sql if that exists. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './time.mjs'

/** @typedef {Record<string, string | number>} Values */

/** @param {string} name */
const file = (name) => new URL(`../sql/${name}.sql`, import.meta.url)

/** @param {string} name */
function read(name) {
  const record = file(`${name.split('.')[0]}.record`)
  return [file(name), ...(existsSync(record) ? [record] : [])]
    .map((one) => readFileSync(one, 'utf8').replace(/^--.*\n/gm, ''))
    .join('')
}

const PARAMETER = /(?<!:):([a-z]+)\b/g
/** @param {Values} values @param {string} name */
const literal = (values, name) => (typeof values[name] === 'number' ? String(values[name]) : `'${values[name]}'`)

/**
 * A statement with its values as literals.
 * @param {string} name @param {Values} values
 */
export const withValues = (name, values) => read(name).replace(PARAMETER, (_, parameter) => literal(values, parameter))

/**
 * The same for a statement of the program.
 * @param {import('../../dist/db/sql.js').Sql} statement
 */
export const withLiterals = ({ strings, values }) =>
  strings.reduce((text, part, i) => `${text}'${String(values[i - 1]).replaceAll("'", "''")}'${part}`)

/**
 * The seconds that psql takes for statements, all together and each, without connecting, and their JSON texts. Runs with jit on
 * and off, unless `jit` is given, and takes the faster. Without `json`, the statements return JSON texts themselves.
 * @param {string} url @param {string} folder for files @param {string[]} statements
 * @param {{ times?: number, jit?: string | undefined, json?: boolean }} how
 */
export function psql(url, folder, statements, { times = 3, jit: given, json = true } = {}) {
  const script = join(folder, 'psql.sql')
  const out = join(folder, 'psql.out')
  const found = (given === undefined ? ['on', 'off'] : [given]).map((jit) => {
    writeFileSync(
      script,
      [
        `set jit = ${jit};`,
        '\\timing on',
        ...statements.map((one) => (json ? `select row_to_json(r) from (${one.trim()}) r;` : `${one};`)),
      ].join('\n'),
    )
    const runs = Array.from({ length: times }, () => {
      const output = execFileSync('psql', [url, '-XqAt', '-v', 'ON_ERROR_STOP=1', '-o', out, '-f', script], {
        encoding: 'utf8',
      })
      return [...output.matchAll(/Time: ([\d.]+) ms/g)].map(([, ms]) => Number(ms) / 1000)
    })
    const sums = runs.map((each) => each.reduce((sum, seconds) => sum + seconds, 0))
    return { seconds: median(sums), each: runs[0] ?? [], jit }
  })
  const [best = { seconds: Number.NaN, each: /** @type {number[]} */ ([]), jit: '' }] = found.sort(
    (a, b) => a.seconds - b.seconds,
  )
  const records = readFileSync(out, 'utf8').trimEnd().split('\n')
  rmSync(out)
  return { ...best, records }
}

/**
 * A statement with numbered parameters, for a driver.
 * @param {string} name
 */
export function prepared(name) {
  /** @type {string[]} */
  const parameters = []
  const text = read(name).replace(PARAMETER, (_, parameter) => {
    if (!parameters.includes(parameter)) parameters.push(parameter)
    return `$${parameters.indexOf(parameter) + 1}`
  })
  return { name, text, parameters }
}
