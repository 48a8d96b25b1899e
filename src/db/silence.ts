/** Notices that a server has stopped responding while callers wait for it. */
import type { Db } from './db.js'

/** Calls back if the database falls silent; the returned function ends the watch. */
export type OnSilence = (silent: (error: unknown) => void) => () => void

const ASK_EVERY_MS = 400

/** Runs an empty statement again and again while anyone watches. `quick` fails when the database does not respond. */
export function watchSilence(quick: Db): OnSilence {
  const watching = new Set<(error: unknown) => void>()
  let timer: NodeJS.Timeout | undefined
  let asking = false

  async function ask(): Promise<void> {
    if (asking) return
    asking = true
    try {
      await quick`select`
    } catch (error) {
      for (const silent of watching) silent(error)
    }
    asking = false
  }

  return (silent) => {
    watching.add(silent)
    timer ??= setInterval(ask, ASK_EVERY_MS).unref()
    return () => {
      watching.delete(silent)
      if (watching.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}
