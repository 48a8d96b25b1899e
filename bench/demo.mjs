/** Measures the first start of the demo, which loads the sample company, and a later one. The baselines are limits. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  const data = join(bench.folder, 'demo')
  const program = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
  for (const [name, limit] of /** @type {const} */ ([
    ['demo_first_start', 60],
    ['demo_later_start', 5],
  ])) {
    const start = performance.now()
    const child = spawn(process.execPath, [program, 'demo', '--port', '0', '--data', data, '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    await once(child.stdout, 'data') // the demo prints a line once it accepts requests
    bench.figure(name, (performance.now() - start) / 1000, 's', limit)
    child.kill('SIGTERM')
    await ended
  }
}
