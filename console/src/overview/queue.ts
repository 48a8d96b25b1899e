/** Runs tasks, a few at a time, in their order; people look at the first ones first. */

const AT_ONCE = 3

export function queue(signal: AbortSignal, failed: (error: unknown) => void) {
  const waiting: (() => Promise<void>)[] = []
  let running = 0
  const next = () => {
    const task = signal.aborted ? undefined : waiting.shift()
    if (task === undefined) return
    running++
    task()
      .catch(failed)
      .finally(() => {
        running--
        next()
      })
    if (running < AT_ONCE) next()
  }
  return (task: () => Promise<void>) => {
    waiting.push(task)
    if (running < AT_ONCE) next()
  }
}
