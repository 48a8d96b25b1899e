/** Work shared by several callers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { SharedWork } from '../../src/kernel/answer/shared.js'

/** Work that ends when the test ends it, or when it is cancelled. */
function controlled() {
  const signals: AbortSignal[] = []
  let finish = (_result: string) => {}
  const work = vi.fn(
    (signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => {
        signals.push(signal)
        finish = resolve
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  )
  return { work, signals, finish: (result: string) => finish(result) }
}

it('runs once for all waiting callers', async () => {
  const shared = new SharedWork<string>()
  const { work, finish } = controlled()
  const callers = [1, 2, 3].map(() => shared.run('a', undefined, work))
  expect([shared.has('a'), shared.has('b')]).toEqual([true, false])
  finish('done')
  expect(await Promise.all(callers)).toEqual(['done', 'done', 'done'])
  expect(work).toHaveBeenCalledTimes(1)
  await sleep(0)
  expect(shared.has('a')).toBe(false)
})

it('is cancelled when the last caller leaves, and not before', async () => {
  const shared = new SharedWork<string>()
  const { work, signals } = controlled()
  const [one, two] = [new AbortController(), new AbortController()]
  const callers = [one, two].map(({ signal }) => shared.run('a', signal, work))
  one.abort(new Error('gone'))
  await expect(callers[0]).rejects.toThrow('gone')
  expect(signals[0]?.aborted).toBe(false)
  two.abort(new Error('gone too'))
  await expect(callers[1]).rejects.toThrow('gone too')
  expect(signals[0]?.aborted).toBe(true)
})

it('starts again for a caller who comes after its cancellation', async () => {
  const shared = new SharedWork<string>()
  const [first, second] = [controlled(), controlled()]
  const gone = new AbortController()
  const caller = shared.run('a', gone.signal, first.work)
  gone.abort()
  await expect(caller).rejects.toThrow()
  const next = shared.run('a', undefined, second.work)
  second.finish('fresh')
  expect(await next).toBe('fresh')
})

it('gives a failure, or the reason of an outside cancellation, to every caller', async () => {
  const shared = new SharedWork<string>()
  const { work } = controlled()
  const callers = [1, 2].map(() => shared.run('a', undefined, work))
  shared.cancel(new Error('the service ends'))
  for (const caller of callers) await expect(caller).rejects.toThrow('the service ends')
  await expect(shared.run('b', undefined, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong')
})
