/**
 * `node scripts/node24.mjs PROGRAM …` runs a program on Node 24, which the README recommends: on this Node if it is one, else on one
 * that npm fetches. Benchmarks use it, so that their figures are of the same Node on every machine.
 */
import { spawnSync } from 'node:child_process'

const WANTED = 24
const program = process.argv.slice(2)
const [command = '', ...args] =
  Number.parseInt(process.versions.node, 10) === WANTED
    ? [process.execPath, ...program]
    : ['npx', '--yes', `--package=node-${process.platform}-${process.arch}@${WANTED}`, '--', 'node', ...program]
const { status, error } = spawnSync(command, args, { stdio: 'inherit' })
if (error) throw error
process.exitCode = status ?? 1
