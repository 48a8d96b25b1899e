/** The clock of a service: it works through the outbox whenever the database notifies it, or when something is due. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Listener } from '../db/connect.js'
import { inWords } from '../errors.js'
import { Outbox, type OutboxOptions } from './outbox.js'

/** Loads and replays notify this channel. */
const CHANNEL = 'millbook_version'
/** A lost notification delays a message by no more than this. */
const LONGEST_SLEEP_MS = 10_000
/** Another service may hold the lock on what is due. */
const SHORTEST_SLEEP_MS = 50
const LISTEN_AGAIN_MS = 1000
const FORGET_MS = 3_600_000

export interface Clock {
  /** Ends the attempts in progress; to be called before the database is closed. */
  end(): Promise<void>
}

interface ClockOptions extends Omit<OutboxOptions, 'onEnd'> {
  readonly database: OutboxOptions['database'] & Pick<Database, 'listen'>
}

export function startClock(options: ClockOptions): Clock {
  const { database, log } = options
  const stop = new AbortController()
  let wake = () => {}
  const outbox = new Outbox({ ...options, onEnd: () => wake() })
  let listener: Listener | undefined

  async function listen(): Promise<void> {
    while (!stop.signal.aborted)
      try {
        listener = await database.listen(
          CHANNEL,
          () => wake(),
          () => void listen(),
        )
        wake() // for what was missed meanwhile
        if (stop.signal.aborted) await listener.end()
        return
      } catch {
        await sleep(LISTEN_AGAIN_MS, undefined, { ref: false })
      }
  }

  async function run(): Promise<void> {
    let failure = ''
    let forgottenAt = performance.now()
    while (!stop.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      let pause = LONGEST_SLEEP_MS
      try {
        pause = Math.min(pause, Math.max(SHORTEST_SLEEP_MS, (await outbox.turn()) ?? pause))
        failure = ''
        if (performance.now() - forgottenAt > FORGET_MS) {
          forgottenAt = performance.now()
          await outbox.forget()
        }
      } catch (error) {
        const reason = inWords(error)
        if (reason !== failure) log.warn({ reason }, 'the outbox of messages cannot be read; trying again')
        failure = reason
      }
      const rest = new AbortController()
      await Promise.race([woken, sleep(pause, undefined, { signal: rest.signal, ref: false }).catch(() => {})])
      rest.abort()
    }
  }

  void listen()
  const running = run()
  return {
    async end() {
      stop.abort()
      wake()
      await running
      await outbox.end()
      await listener?.end()
    },
  }
}
