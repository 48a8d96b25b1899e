/** Shared by the checks of generated clients: the declaration of a client, and how its tools are installed and run. */
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * @typedef {object} Call A report to fetch.
 * @property {string} what The report and its shape.
 * @property {string} path
 * @property {'GET' | 'POST'} method
 * @property {string} operationId
 * @property {string} tag
 * @property {string | undefined} bodyType The name of the request's schema; undefined if the request has no body.
 * @property {Record<string, unknown>} values
 * @property {Record<string, string>} query Further parameters of the query string.
 * @property {string} form The name of the response's schema.
 *
 * @typedef {object} Target
 * @property {string} base_url
 * @property {{ client_id: string, client_secret: string, username: string, password: string }} credentials
 * @property {string} document The file of the OpenAPI document.
 * @property {Call[]} calls
 *
 * @typedef {{ what: string, problem: string | undefined }} Result
 *
 * @typedef {object} Client
 * @property {string} name
 * @property {() => string | undefined} missing Why it cannot be checked on this machine.
 * @property {(folder: string, target: Target) => Promise<Result[]>} run
 */

const execute = promisify(execFile)

/** Leaves out the settings that `npm run` hands down: they belong to this project. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))

/** Runs a program in a folder and returns its output; an error contains the whole output. */
export async function run(
  /** @type {string} */ folder,
  /** @type {string} */ program,
  /** @type {string[]} */ args,
  /** @type {Record<string, string>} */ env = {},
) {
  try {
    const { stdout } = await execute(program, args, {
      cwd: folder,
      env: { ...ENVIRONMENT, ...env },
      maxBuffer: 256 * 1024 * 1024,
    })
    return stdout
  } catch (error) {
    const { stdout, stderr } = /** @type {{ stdout?: string, stderr?: string }} */ (error)
    throw new Error(
      `${program} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}${stdout === undefined ? error : ''}`,
    )
  }
}

const found = (/** @type {string} */ program, /** @type {string[]} */ args) => spawnSync(program, args).status === 0

export const missingJava = () => (found('java', ['-version']) ? undefined : 'there is no java')
export const missingPython = () =>
  found('python3', ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))'])
    ? undefined
    : 'there is no python3 of version 3.10 or newer with venv'

/** Installs packages of npm, each as `name@version`; returns a function that runs a program of theirs. */
export async function npm(/** @type {string} */ folder, /** @type {string[]} */ packages) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await run(folder, 'npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages])
  return (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
    run(folder, join(folder, 'node_modules', '.bin', program), args)
}

/** Installs packages of PyPI, each as `name==version`; returns a function that runs a program of theirs. */
export async function pip(/** @type {string} */ folder, /** @type {string[]} */ packages) {
  const bin = join(folder, 'venv', 'bin')
  await run(folder, 'python3', ['-m', 'venv', 'venv'])
  await run(folder, join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages])
  return (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
    run(folder, join(bin, program), args, { PATH: `${bin}:${process.env['PATH']}` })
}

export const TYPESCRIPT = 'typescript@5.9.3'
export const STRICT = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--module', 'nodenext']

/** The kind of question that a form answers. */
export const kindOf = (/** @type {string} */ form) => /(?:Changes|Totals|Fields)?Result$/.exec(form)?.[0]

/** Results from a program that prints a line of JSON for each call: its report, the number of records, and the form if it knows it. */
export function resultsOf(/** @type {string} */ output, /** @type {Target} */ { calls }) {
  const lines = output.split('\n').filter((line) => line.startsWith('{'))
  const got = new Map(lines.map((line) => JSON.parse(line)).map((result) => [result.what, result]))
  return calls.map(({ what, form }) => {
    const { records, form: found = form } = got.get(what) ?? {}
    if (!(records > 0)) return { what, problem: `it got ${records ?? 'no'} records` }
    // The totals of two variants may be alike, and a client takes the first that fits.
    return { what, problem: kindOf(found) === kindOf(form) ? undefined : `it got ${found}, not ${form}` }
  })
}
