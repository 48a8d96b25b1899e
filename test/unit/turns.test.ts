/** Limits on concurrent work, and the queue in front of it. */
import { expect, it } from 'vitest'
import { Turns } from '../../src/turns.js'

it('at most the limit of works run at a time, in order, and a failure ends its turn', async () => {
  const turns = new Turns(2)
  let [running, most] = [0, 0]
  const order: number[] = []
  const work = (n: number) => async () => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    order.push(n)
    if (n === 2) throw new Error('failed')
    return n
  }
  const all = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => turns.run(work(n))))
  expect(all.map((each) => (each.status === 'fulfilled' ? each.value : 'failed'))).toEqual([1, 'failed', 3, 4, 5])
  expect([most, order]).toEqual([2, [1, 2, 3, 4, 5]])
  expect(turns.isIdle).toBe(true)
})

it('the queue is counted in total and by source, and callers can leave it', () => {
  const turns = new Turns(1)
  const went: string[] = []
  expect([turns.take(), turns.take()]).toEqual([true, false])
  const leaveA = turns.wait(() => went.push('a'), 'one')
  const leaveB = turns.wait(() => went.push('b'), 'one')
  turns.wait(() => went.push('c'), 'other')
  expect([turns.waiting, turns.waitingFrom('one'), turns.waitingFrom('other')]).toEqual([3, 2, 1])
  expect([leaveA(), leaveA()]).toEqual([true, false])
  turns.end()
  expect([went, leaveB(), turns.waiting]).toEqual([['b'], false, 1])
  turns.end()
  expect([went, turns.isIdle]).toEqual([['b', 'c'], false])
  turns.end()
  expect([turns.isIdle, turns.take()]).toEqual([true, true])
})
