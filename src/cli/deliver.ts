/** `millbook deliver FILE`: sends reports to folders, buckets, SFTP servers and mailboxes, each due time once. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { slotAfter, slotBefore } from '../deliver/clock.js'
import { type Job, readJobs } from '../deliver/jobs.js'
import { Deliveries, type Outcome } from '../deliver/run.js'
import { figuresOf } from '../deliver/target.js'
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'
import { reports } from '../reports/index.js'
import { type Json, withExamples } from './command.js'
import { tell } from './database.js'
import { counted, printTable } from './print.js'
import { sourceCommand, withAnswers } from './source.js'

interface DeliverOptions extends Json {
  job?: string
  state?: string
  again?: boolean
  whole?: boolean
  list?: boolean
  keepRunning?: boolean
}

/** The longest sleep with --keep-running: meanwhile the clock may be set, or the machine suspended. */
const NAP_MS = 60_000

export const deliverCommand = (): Command =>
  withExamples(
    sourceCommand('deliver', 'deliver reports to a folder, an S3 bucket, an SFTP server or by mail, each due time once')
      .argument('<file>', 'the jobs, as YAML or JSON: see docs/deliver.md')
      .option('--job <name>', 'only this job')
      .option('--list', 'show when each job was last delivered and when it is due next; deliver nothing')
      .option('--again', 'deliver again for the last due time, even if that was delivered')
      .option('--whole', 'deliver the whole report now, also for jobs that deliver changes (since: true)')
      .option('--keep-running', 'keep running, and deliver each job when it is due')
      .option('--state <dir>', 'the folder that records the deliveries (default: <file>.state)')
      .action(async (file: string, options: DeliverOptions, command: Command) => {
        const jobs = chosen(read(file), options.job)
        const folder = options.state ?? `${file}.state`
        if (options.list) return list(jobs, new Deliveries(folder), options)
        const stop = new AbortController()
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Stopped()))
        const failed = await Deliveries.alone(folder, async (deliveries) =>
          options.keepRunning
            ? await keepRunning(jobs, deliveries, command, stop.signal)
            : await once(jobs, deliveries, command, options, stop.signal),
        ).catch((error) => {
          if (error instanceof Stopped) return !options.keepRunning // a due job has not been delivered
          throw error
        })
        if (failed === undefined)
          throw new MillbookError(`another process is delivering with the state in ${folder}; wait until it has ended`)
        if (failed) process.exitCode = 1
      }),
    `printf 'jobs:\\n  stock:\\n    report: masters.material\\n    to: [{folder: .}]\\n' > jobs.yaml && millbook deliver jobs.yaml`,
    'millbook deliver jobs.yaml --list',
  )

class Stopped extends Error {}

function read(file: string): Job[] {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    throw new MillbookError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return readJobs(content, reports)
  } catch (error) {
    throw error instanceof MillbookError ? new MillbookError(`${file}: ${error.message}`) : error
  }
}

function chosen(jobs: readonly Job[], name: string | undefined): readonly Job[] {
  if (name === undefined) return jobs
  const found = jobs.filter((job) => job.name === name)
  if (found.length === 0)
    throw new MillbookError(
      `there is no job ${name}${nearest(
        name,
        jobs.map((job) => job.name),
      )}`,
    )
  return found
}

function list(jobs: readonly Job[], deliveries: Deliveries, { json }: Json): void {
  const now = new Date()
  const rows = jobs.map((job) => {
    const due = slotBefore(job, now).toISOString()
    const done = deliveries.done(job.name)
    const next = done === due ? slotAfter(job, now).toISOString() : due
    return {
      job: job.name,
      report: 'view' in job ? `view ${job.view}` : job.report.id,
      to: job.to.map(({ kind }) => kind).join(', '),
      delivered: done ?? null,
      missed: deliveries.missed(job, now).length,
      due: next,
    }
  })
  if (json) console.log(JSON.stringify({ jobs: rows }))
  else
    printTable(
      Object.keys(rows[0] ?? {}),
      rows.map((row) => Object.values(row).map((value) => String(value ?? 'never'))),
    )
}

/** Returns whether a job has failed. */
async function once(
  jobs: readonly Job[],
  deliveries: Deliveries,
  command: Command,
  { json, again, whole }: DeliverOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const outcomes = await withAnswers(command, async (answers) => {
    const found: Outcome[] = []
    for (const job of jobs) {
      const options = { signal, onRetry: tell, ...(again && { again }), ...(whole && { whole }) }
      const outcomes = await deliveries.run(job, answers, new Date(), options)
      if (!json) outcomes.forEach(printOutcome)
      found.push(...outcomes)
    }
    return found
  })
  if (json) console.log(JSON.stringify({ runs: outcomes.map(inJson) }))
  return outcomes.some(({ status }) => status === 'failed')
}

/** Runs until it is stopped. A failed job is tried again after the next sleep. */
async function keepRunning(
  jobs: readonly Job[],
  deliveries: Deliveries,
  command: Command,
  signal: AbortSignal,
): Promise<boolean> {
  const { json } = command.opts<Json>()
  while (true) {
    const now = new Date()
    const due = jobs.filter((job) => deliveries.done(job.name) !== slotBefore(job, now).toISOString())
    if (due.length > 0)
      await withAnswers(command, async (answers) => {
        for (const job of due) {
          for (const outcome of await deliveries.run(job, answers, now, { signal, onRetry: tell }))
            if (json) console.log(JSON.stringify(inJson(outcome)))
            else printOutcome(outcome)
        }
      }).catch((error) => {
        signal.throwIfAborted()
        tell(`${(error as Error).message}; trying again in a minute`)
      })
    const next = Math.min(...jobs.map((job) => slotAfter(job, new Date()).getTime())) - Date.now()
    await sleep(Math.max(100, Math.min(NAP_MS, next)), undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

function printOutcome({ job, slot, missed, status, parcel, where, error }: Outcome): void {
  if (missed !== undefined)
    tell(
      `${job}: ${counted(missed.times, 'due time')} since ${missed.first} ${missed.times === 1 ? 'was' : 'were'} missed; this run covers ${missed.times === 1 ? 'it' : 'them'} too`,
    )
  if (status === 'failed') return void tell(`${job}: failed: ${error}; the next run tries again`)
  if (status === 'nothing has changed') return void tell(`${job}: nothing has changed; no file is delivered`)
  if (parcel === undefined) return void tell(`${job}: the delivery due at ${slot} was made before; --again repeats it`)
  const { records, version, sha256, name } = parcel
  tell(`${job}: ${name}, ${records.toLocaleString('en')} records, version ${version}, sha256 ${sha256}`)
  for (const place of where) tell(`  ${place}`)
}

const inJson = ({ parcel, missed, ...outcome }: Outcome) => ({
  ...outcome,
  ...(missed && { missed_times: missed.times, missed_since: missed.first }),
  ...(parcel && figuresOf(parcel)),
})
