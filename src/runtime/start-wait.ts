/** A service that starts waits for a database that does not respond yet, or is not migrated yet, and says so in its log. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { NotMigrated } from '../db/migrate.js'
import { passesByItself } from '../sqlstate.js'
import type { ServeSettings } from './settings.js'

type Settings = Pick<ServeSettings, 'logLevel' | 'startWaitSeconds'> & { worker?: number }

const AGAIN_MS = 500

/** The log of a process that has no app, or not yet. */
export const logOf = ({ logLevel, worker }: Omit<Settings, 'startWaitSeconds'>): Logger =>
  pino({ level: logLevel }, process.stderr).child(worker === undefined ? {} : { worker })

/** Runs `work` until it succeeds, fails for a reason that a person has to mend, or the time is over. */
export async function waitForDatabase<T>(settings: Settings, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + settings.startWaitSeconds * 1000
  for (let last = ''; ; await sleep(AGAIN_MS))
    try {
      return await work()
    } catch (error) {
      if (!isWorthWaiting(error) || performance.now() >= until) throw error
      const reason = (error as Error).message
      if (reason !== last) logOf(settings).warn({ reason }, 'waiting for the database')
      last = reason
    }
}

/** Errors of the network while a server starts, moves or cannot be reached; those of TLS have other codes. */
const OF_NETWORK = /^(ECONN|EHOST|ENET|EAI_AGAIN|ENOTFOUND|ETIMEDOUT|EPIPE|CONNECTION_LOST)/
/** The driver's errors, which have no code. */
const OF_DRIVER = /timeout expired|terminated/

function isWorthWaiting(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, message, cause } = error as Error & { code?: string }
  if (error instanceof NotMigrated || passesByItself(error)) return true
  return (code === undefined ? OF_DRIVER : OF_NETWORK).test(code ?? message) || isWorthWaiting(cause)
}
