/** When an answer is over, whoever wants to know is told once. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { whenOver } from '../../src/http/response-end.js'

it('all are told in their order, and who asks later at once', () => {
  const answer = new EventEmitter() as ServerResponse
  const told: number[] = []
  whenOver(answer, () => told.push(1))
  whenOver(answer, () => told.push(2))
  expect([told, answer.listenerCount('close')]).toEqual([[], 1])
  answer.emit('close')
  expect(told).toEqual([1, 2])
  whenOver(answer, () => told.push(3))
  answer.emit('close')
  expect(told).toEqual([1, 2, 3])
})
