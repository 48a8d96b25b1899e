/** A warm-up computes the most requested reports, one at a time, and lets callers go first. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Question } from '../../src/kernel/answer/editions.js'
import { WarmUp } from '../../src/kernel/answer/warm-up.js'
import { eventually } from '../setup/patience.js'

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
      busy = computed.length === 2 // a caller arrives
      running--
    },
  )
  const ask = (fingerprint: string) => warmUp.count({ fingerprint } as Question)
  for (const asked of 'dcbacbaba') ask(asked)
  warmUp.begin()
  await sleep(60)
  expect(computed).toEqual([])
  busy = false
  await expect.poll(() => computed).toEqual(['a', 'b'])
  await sleep(60)
  expect(computed).toEqual(['a', 'b'])
  busy = false
  await expect.poll(() => computed).toEqual(['a', 'b', 'c'])
  await warmUp.end()
  expect(computed).toEqual(['a', 'b', 'c'])
})

/** A warm-up that no caller delays; `during` runs while each report is computed. */
function idle(limits: { reports: number; seconds: number }, during: () => void = () => {}) {
  const computed: string[] = []
  const warmUp = new WarmUp(
    limits,
    () => false,
    async ({ question }) => {
      computed.push(question.fingerprint)
      during()
    },
  )
  const ask = (fingerprints: string) => {
    for (const fingerprint of fingerprints) warmUp.count({ fingerprint } as Question)
  }
  return { warmUp, computed, ask }
}

it('a load halves the uses, so that currently requested reports overtake earlier ones', async () => {
  const { warmUp, computed, ask } = idle({ reports: 1, seconds: 60 })
  const load = async () => {
    warmUp.begin()
    await new Promise((resolve) => setImmediate(resolve))
  }
  ask('aaaa')
  await load() // a has been asked for 4 times, and has 2 left
  ask('bbb')
  await load() // a has 2, b has 3; both have 1 left
  ask('a')
  await load() // a has 2, b has 1, of which none is left
  await load() // a has 1, of which none is left
  await load()
  await warmUp.end()
  expect(computed).toEqual(['a', 'b', 'a', 'a'])
})

it('ends with the next load, which starts a new warm-up, and with the service', async () => {
  let loads = 0
  const { warmUp, computed, ask } = idle({ reports: 3, seconds: 60 }, () => {
    if (loads++ === 0) warmUp.begin()
  })
  ask('aaaaaabbbbcc')
  warmUp.begin()
  await eventually(() => expect(computed).toHaveLength(4))
  await warmUp.end()
  expect(computed).toEqual(['a', 'a', 'b', 'c'])
})

it('no further report starts after its time limit', async () => {
  let now = 1000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  const { warmUp, computed, ask } = idle({ reports: 3, seconds: 1 }, () => {
    now += 500
  })
  ask('aaabbc')
  warmUp.begin()
  for (let i = 0; i < 20; i++) await Promise.resolve()
  await warmUp.end()
  expect(computed).toEqual(['a', 'b'])
})
