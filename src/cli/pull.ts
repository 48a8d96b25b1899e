/** `millbook pull`: loads the books of another program, straight from its database or its spreadsheets. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { lockLoads } from '../db/connect.js'
import { inWords } from '../errors.js'
import { entities } from '../import/entities.js'
import { giveWay } from '../import/give-way.js'
import { noWarnings } from '../import/pipeline/warnings.js'
import { nearest } from '../nearest.js'
import { SPREADSHEETS, shippedConnectors } from '../pull/connector.js'
import { databaseOrigin, type Origin, sheetsOrigin } from '../pull/origin.js'
import { type PullResult, pull } from '../pull/pull.js'
import { accountJson, accountLines } from '../pull/sheets/account.js'
import { writeSkeleton } from '../pull/skeleton.js'
import { FORMS } from '../pull/url.js'
import { duration } from '../runtime/parse.js'
import { databaseTarget } from '../runtime/settings.js'
import { readPulls } from '../store/pulls.js'
import { LEASE_MS } from '../store/versions.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { tell, withDatabase } from './database.js'
import { jsonOf, printResult, withRefuseClosed } from './import.js'
import { inspect } from './inspect.js'
import { counted, printTable, timeOf } from './print.js'
import { progressBar } from './progress.js'
import { type Rejecting, rejectOptions, setExitCode, withReject } from './reject.js'

interface Options extends Json, Rejecting {
  from?: string
  set: Record<string, string>
  dryRun: boolean
  readAll: boolean
  refuseClosed: boolean
  allowEmpty: string[]
  every?: number
  init?: string
  mapping?: string
  strict: boolean
  inspect?: string
  output?: string
  force: boolean
  list?: boolean
  status?: boolean
}

export const pullCommand = (): Command =>
  withExamples(
    withRefuseClosed(
      withReject(
        databaseCommand(
          'pull',
          'load the books of another program from its database or spreadsheets: all rows or none, deletions included',
        ),
      ),
    )
      .argument('[connector]', 'the name of a connector that ships with Millbook, or the path of a folder with one')
      .addOption(
        new Option('--from <source>', `the source: ${FORMS}; for the connector spreadsheets, a folder`).env(
          'MILLBOOK_PULL_URL',
        ),
      )
      .option('--set <name=value>', 'a parameter of the connector; may be repeated', setting, {})
      .option('--mapping <file>', 'for the connector spreadsheets: the mapping (default: mapping.yaml in the folder)')
      .option(
        '--strict',
        'for the connector spreadsheets: refuse files, sheets and rows that no rule of the mapping takes, converted units, hidden rows and values lost in merged cells',
        false,
      )
      .option(
        '--inspect <folder>',
        'propose a mapping for the spreadsheets in this folder, with what is unsure as comments, and stop; needs no database',
      )
      .option(
        '-o, --output <file>',
        'with --inspect: write the mapping into this file instead of to the standard output',
      )
      .option('--force', 'with --output: replace the file if it exists', false)
      .option('--dry-run', 'do everything but commit', false)
      .option('--read-all', 'also read tables that have not changed since the last pull', false)
      .option('--allow-empty <entity>', 'if the source has no rows of it, remove all stored rows', entityNames, [])
      .option(
        '--every <time>',
        'keep pulling at this interval: 15m, 1h, 1d; a failed pull leaves the old data in place',
        interval,
      )
      .option('--list', 'list the connectors that ship with Millbook, and stop')
      .option('--status', 'show the result of the last pull of each connector, and stop')
      .option('--init <dir>', 'write a new connector, to be filled in, into this folder, and stop')
      .addHelpText(
        'after',
        '\nA pull only reads the source, in one transaction. Keep its password out of the process list: set MILLBOOK_PULL_URL.' +
          '\nIn the entities of the connector, a pull removes the rows that the source no longer has.' +
          '\nHow to load spreadsheets: docs/spreadsheets.md. How to write a connector: docs/connectors.md.',
      )
      .action(async (named: string | undefined, options: Options, command: Command) => {
        if (options.list) return list(options)
        if (options.init !== undefined) return init(options.init, options)
        if (options.status) return await status(options, command)
        if (options.inspect !== undefined) return await inspect(options.inspect, options, command)
        if (options.output !== undefined || options.force) command.error('--output and --force need --inspect FOLDER')
        if (named === undefined)
          command.error('name a connector, or use --list, --status, --inspect FOLDER or --init DIR')
        const { from } = options
        if (from === undefined) command.error('name the source with --from, or set MILLBOOK_PULL_URL')
        let origin: Origin | undefined
        checkUsage(command, () => {
          rejectOptions(options)
          origin =
            named === SPREADSHEETS
              ? sheetsOrigin(from, options.mapping, options)
              : databaseOrigin(named, from, options.set)
        })
        giveWay()
        await (options.every === undefined ? once : keepPulling)(origin as Origin, options, command)
      }),
    'millbook pull --list',
    'millbook pull --init shop/',
    'mkdir -p sheets && printf "Item,Unit,Rate\\nGhee,Jar,90\\n" > sheets/items.csv && millbook pull --inspect sheets/',
  )

function setting(text: string, before: Record<string, string>): Record<string, string> {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Write it as name=value.')
  return { ...before, [name]: value }
}

function entityNames(text: string, before: readonly string[]): string[] {
  const known: string[] = entities.map(({ name }) => name)
  for (const name of text.split(','))
    if (!known.includes(name)) throw new InvalidArgumentError(`There is no entity ${name}${nearest(name, known)}.`)
  return [...before, ...text.split(',')]
}

function interval(text: string): number {
  const seconds = duration(text)
  if (seconds === undefined || seconds === 0) throw new InvalidArgumentError('Write it as 90s, 15m, 1h or 1d.')
  return seconds
}

async function onePull(origin: Origin, options: Options, command: Command, signal?: AbortSignal): Promise<PullResult> {
  const bar = progressBar()
  const release = await lockLoads(databaseTarget(command), () => {
    if (!options.json) tell('waiting for another load to end')
  })
  try {
    const { dryRun, allowEmpty, readAll, refuseClosed } = options
    const reject = rejectOptions(options)
    const about = { dryRun, allowEmpty, readAll, refuseClosed, reject, onProgress: bar.show, ...(signal && { signal }) }
    return await withDatabase(command, (_, database) => pull(database, origin, about), { create: true })
  } finally {
    bar.end()
    await release()
  }
}

async function once(origin: Origin, options: Options, command: Command): Promise<void> {
  const result = await onePull(origin, options, command)
  if (result.committed) await sleep(LEASE_MS) // after that, no service answers with older data
  setExitCode(result)
  show(result, options, origin)
}

function show(result: PullResult, options: Json & Rejecting, { leavesOut = [] }: Origin, at?: string): void {
  const { json } = options
  const { account } = result
  if (json)
    console.log(
      JSON.stringify({
        ...(at && { at }),
        ...jsonOf(result),
        ...(account && { files: accountJson(account) }),
        ...(leavesOut.length > 0 && { leaves_out: leavesOut }),
      }),
    )
  else {
    for (const line of account === undefined ? [] : accountLines(account)) console.log(line)
    printResult(result, options)
    for (const one of leavesOut) console.log(`not pulled: ${one}`)
  }
}

class Stopped extends Error {}

/** Runs until it is stopped. The interval counts from the beginning of one pull to the beginning of the next. */
async function keepPulling(origin: Origin, options: Options, command: Command): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Stopped()))
  const { signal } = stop
  let shown: number | undefined
  while (!signal.aborted) {
    const began = Date.now()
    const at = () => timeOf(new Date(), 'second')
    try {
      const result = await onePull(origin, options, command, signal)
      if (options.json) show(result, options, origin, new Date().toISOString())
      else {
        const { count } = result.warnings
        const known = shown === result.dataVersion && count > 0 && result.errors.count === 0
        tell(`${at()} pulled ${origin.name}${known ? `; ${counted(count, 'warning')}, as before` : ''}`)
        printResult(known ? { ...result, warnings: noWarnings() } : result, options)
        shown = result.dataVersion
      }
    } catch (error) {
      if (signal.aborted) return
      const message = inWords(error)
      if (options.json) console.log(JSON.stringify({ at: new Date().toISOString(), error: message }))
      else tell(`${at()} ${origin.name}: failed, the old data stays: ${message}`)
    }
    const pause = Math.max(0, began + (options.every ?? 0) * 1000 - Date.now())
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

function list({ json }: Json): void {
  const connectors = shippedConnectors()
  if (json) console.log(JSON.stringify({ connectors }))
  else
    printTable(
      ['connector', 'about', 'tried with'],
      connectors.map(({ name, about, tried }) => [name, about, tried]),
    )
}

function init(folder: string, { json }: Json): void {
  const files = writeSkeleton(folder)
  if (json) console.log(JSON.stringify({ connector: folder, files }))
  else console.log(`wrote connector.json and ${files.length} queries to ${folder}: see docs/connectors.md`)
}

async function status({ json }: Json, command: Command): Promise<void> {
  const pulls = await withDatabase(command, (db) => readPulls(db))
  if (json)
    console.log(
      JSON.stringify({
        pulls: pulls.map(({ connector, source, pulledAt, succeededAt, failure, error, rejected }) => ({
          ...{ connector, source, pulled_at: pulledAt, succeeded_at: succeededAt, failure, error, rejected },
        })),
      }),
    )
  else
    printTable(
      ['connector', 'source', 'pulled', 'succeeded', 'rejected', 'error'],
      pulls.map(({ connector, source, pulledAt, succeededAt, error, rejected }) => [
        ...[connector, source, timeOf(pulledAt), timeOf(succeededAt), String(rejected), error ?? '-'],
      ]),
    )
}
