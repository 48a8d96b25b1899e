/** Starts the measured servers, each in its own processes. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @typedef {{ base: string, token: string, pid: number, stop(): Promise<void> }} Service */

const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL') // leave no process behind after a failure
})

/** @param {string} file @param {string[]} args */
async function start(file, args) {
  // The log is written but discarded.
  const env = { ...process.env, MILLBOOK_METRICS_PORT: '0' } // measured too
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'ignore'], env })
  const ended = once(child, 'exit')
  running.add(child)
  child.once('exit', () => running.delete(child))
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => {
      throw new Error(`${file} did not start`)
    }),
  ])
  return {
    base: /** @type {string} */ (JSON.parse(String(line)).base_url),
    pid: Number(child.pid),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/**
 * Starts Millbook without limits on a client.
 * @param {string[]} database options that choose it
 * @param {{ workers?: number, snapshots: string, more?: string[] }} options `more` options of `serve`
 * @returns {Promise<Service>}
 */
export async function serve(database, { workers = 1, snapshots, more = [] }) {
  const create = ['client', 'create', `bench ${Date.now()}`, '--grants', 'client_credentials', '--json']
  const made = execFileSync(process.execPath, [program, ...create, ...database])
  const { client_id, client_secret } = JSON.parse(String(made))
  const limits = ['--max-connections', '--max-connections-per-address', '--max-requests', '--max-requests-per-client']
  const many = limits.flatMap((name) => [name, '4000'])
  const service = await start(program, [
    ...['serve', ...database, '--port', '0', '--workers', String(workers), '--rate', '0', '--warm-up', '0', '--json'],
    ...['--snapshots-in', snapshots, ...many, ...more],
  ])
  const response = await fetch(`${service.base}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }),
  })
  if (response.status !== 200) {
    await service.stop()
    throw new Error(`no token: ${response.status}`)
  }
  const { access_token } = /** @type {any} */ (await response.json())
  return { ...service, token: access_token }
}

/**
 * A server of bench/servers/.
 * @param {'fastify' | 'node-http' | 'plain'} name @param {string[]} args
 * @returns {Promise<Service>}
 */
export async function baseline(name, ...args) {
  const file = fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url))
  const token = 'x'.repeat(43)
  return { ...(await start(file, [token, ...args])), token }
}

/**
 * The peak memory of a process since its reset, in MB.
 * @param {number} pid
 */
export const peakMemory = (pid) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** @param {number} pid */
export const resetPeakMemory = (pid) => writeFileSync(`/proc/${pid}/clear_refs`, '5')
