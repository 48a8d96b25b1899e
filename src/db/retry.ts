/** Retries a transaction that the database aborted because of a deadlock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hasState } from '../sqlstate.js'

const TIMES = 5

export async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let i = 1; ; i++)
    try {
      return await transaction()
    } catch (error) {
      if (!hasState(error, 'deadlock_detected') || i === TIMES) throw error
      await sleep(20 + Math.random() * 80)
    }
}
