/** A warm-up computes one report at a time, those that were asked for most, and lets callers go first. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Question } from '../../src/kernel/answer/editions.js'
import { WarmUp } from '../../src/kernel/answer/warm-up.js'

it('computes one report at a time, the most used first, and waits while a caller waits', async () => {
  let busy = true
  let running = 0
  const computed: string[] = []
  const warmUp = new WarmUp(
    { reports: 3, seconds: 60 },
    () => busy,
    async ({ question }) => {
      expect(++running).toBe(1)
      computed.push(question.fingerprint)
      await sleep(5)
      busy = computed.length === 2 // a caller comes
      running--
    },
  )
  const ask = (fingerprint: string) => warmUp.count({ fingerprint } as Question)
  for (const asked of 'dcbacbaba') ask(asked)
  warmUp.begin()
  await sleep(60)
  expect(computed).toEqual([])
  busy = false
  await expect.poll(() => computed, { timeout: 10_000 }).toEqual(['a', 'b'])
  await sleep(60)
  expect(computed).toEqual(['a', 'b'])
  busy = false
  await expect.poll(() => computed, { timeout: 10_000 }).toEqual(['a', 'b', 'c'])
  await warmUp.end()
  expect(computed).toEqual(['a', 'b', 'c'])
})
