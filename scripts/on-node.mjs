/**
 * `node scripts/on-node.mjs 24 [COMMAND …]`: runs a command (`npm test` by default) on another version of Node, taken from
 * the npm package `node`. The package is installed into a folder of the system's temporary directory and kept there.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const [version = '', ...given] = process.argv.slice(2)
if (!/^\d+(\.\d+){0,2}$/.test(version)) throw new Error('name a version of Node: node scripts/on-node.mjs 24 npm test')
const folder = join(tmpdir(), `millbook-node-${version}`)
const bin = join(folder, 'node_modules', 'node', 'bin')
if (!existsSync(join(bin, 'node'))) {
  mkdirSync(folder, { recursive: true })
  execFileSync('npm', ['install', '--no-save', '--prefix', folder, `node@${version}`], { stdio: 'inherit' })
}
const [command = 'npm', ...args] = given.length > 0 ? given : ['npm', 'test']
const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` }
console.log(
  `on Node ${execFileSync(join(bin, 'node'), ['--version'], { encoding: 'utf8' }).trim()}: ${[command, ...args].join(' ')}`,
)
process.exitCode = spawnSync(command, args, { stdio: 'inherit', env }).status ?? 1
