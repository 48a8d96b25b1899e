/** Retries a transaction that the database aborted because of a deadlock. */
import { setTimeout as sleep } from 'node:timers/promises'

const TIMES = 5

export async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let i = 1; ; i++)
    try {
      return await transaction()
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01' || i === TIMES) throw error
      await sleep(20 + Math.random() * 80)
    }
}
