/**
 * The service in several processes on one port. This process holds the database, the port and the signals, and replaces
 * workers that die; workers answer the requests. docs/decisions/0013 says why.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Sample, together, totals } from '../metrics/registry.js'
import type { Dispatcher } from './dispatcher.js'
import { listeningAt, type Service, type ServiceSettings } from './service.js'
import { shareOf } from './shares.js'
import { logOf } from './start-wait.js'
import { WorkerProcess } from './worker-process.js'

/** A replaced worker that still has requests after --max-report-seconds plus this time is killed. */
const DRAIN_MS = 15_000
/** A worker that dies sooner than this is replaced more slowly each time. */
const STEADY_MS = 10_000
const LONGEST_DELAY_MS = 4000 // below the time that connections wait for a worker

/** The delay before a dead worker is replaced, by the number of times in a row that it died soon after its start. */
export const delayAfter = (quickDeaths: number): number =>
  quickDeaths < 2 ? 0 : Math.min(LONGEST_DELAY_MS, 250 * 2 ** (quickDeaths - 2))

/** Returns once all workers are ready; if one cannot start, all are killed. */
export async function serveByWorkers(dispatcher: Dispatcher, given: ServiceSettings): Promise<Service> {
  const log = logOf(given)
  const settings = shareOf(given, given.workers)

  const alive = new Set<WorkerProcess>()
  /** The current worker of each number; a replaced worker is only in `alive`. */
  const current = new Map<number, WorkerProcess>()
  /** The samples of workers that have ended, because a counter must never fall. */
  let ended: Sample[] = []
  let ending = false
  let reloading = false
  let reloadAgain = false

  function start(number: number): WorkerProcess {
    const worker = new WorkerProcess(number, settings)
    alive.add(worker)
    worker.ready.then(
      () => dispatcher.add(worker),
      () => {},
    )
    void worker.ended.then(() => {
      alive.delete(worker)
      ended = totals(together([ended, worker.lastSamples]))
      dispatcher.remove(worker)
    })
    return worker
  }

  /** Starts another worker each time this one dies, until a reload replaces it. */
  async function keep(first: WorkerProcess): Promise<void> {
    const { number } = first
    let worker = first
    let quickDeaths = 0
    for (;;) {
      current.set(number, worker)
      const how = await worker.ended
      if (ending || current.get(number) !== worker) return
      quickDeaths = performance.now() - worker.startedAt < STEADY_MS ? quickDeaths + 1 : 0
      const delay = delayAfter(quickDeaths)
      log.error({ worker: number, how, restart_in_ms: delay }, 'a worker died')
      await sleep(delay)
      if (ending || current.get(number) !== worker) return
      worker = start(number)
      worker.ready.then(
        () => log.info({ worker: number }, 'a new worker is ready'),
        (error: Error) => ending || log.error({ worker: number, reason: error.message }, 'a new worker cannot start'),
      )
    }
  }

  async function replaceAll(): Promise<void> {
    log.info('replacing the workers, one after another')
    for (const number of current.keys()) {
      if (ending) return
      const fresh = start(number)
      try {
        await fresh.ready
      } catch (error) {
        if (ending) return
        log.error(
          { worker: number, reason: (error as Error).message },
          'a new worker cannot start: the reload stops here, and the running workers go on',
        )
        return
      }
      const old = current.get(number)
      void keep(fresh)
      if (old !== undefined) await drain(old)
    }
    log.info('all workers are replaced')
  }

  async function drain(worker: WorkerProcess): Promise<void> {
    dispatcher.remove(worker)
    const late = setTimeout(
      () => {
        log.error({ worker: worker.number }, 'requests to a replaced worker were still running and are cut off')
        worker.kill()
      },
      given.maxReportSeconds * 1000 + DRAIN_MS,
    )
    await worker.end('drained')
    clearTimeout(late)
  }

  const samples = async () => [ended, ...(await Promise.all([...alive].map((worker) => worker.samples())))]

  const cancel = () => {
    for (const worker of alive) worker.cancel()
  }

  const cut = () => {
    for (const worker of alive) worker.kill()
  }

  function reload(): void {
    reloadAgain = reloading
    if (reloading || ending) return
    reloading = true
    void replaceAll().finally(() => {
      reloading = false
      if (reloadAgain) reload()
    })
  }

  async function close(): Promise<void> {
    ending = true
    dispatcher.close()
    await Promise.all([...alive].map((worker) => worker.end('now')))
  }

  const first = Array.from({ length: given.workers }, (_, i) => start(i + 1))
  try {
    await Promise.all(first.map(({ ready }) => ready))
  } catch (error) {
    cut()
    await Promise.all(first.map(({ ended }) => ended))
    throw error
  }
  for (const worker of first) void keep(worker)
  const { address } = dispatcher
  log.info(listeningAt(address, given.tls))
  return { address, log, close, samples, cancel, cut, reload }
}
