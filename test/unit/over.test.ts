/** Actions at the end of a response run once each. */
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { whenOver } from '../../src/http/response-end.js'

it('actions run in their order, and immediately if the response has already ended', () => {
  const response = new EventEmitter() as ServerResponse
  const ran: number[] = []
  whenOver(response, () => ran.push(1))
  whenOver(response, () => ran.push(2))
  expect([ran, response.listenerCount('close')]).toEqual([[], 1])
  response.emit('close')
  expect(ran).toEqual([1, 2])
  whenOver(response, () => ran.push(3))
  response.emit('close')
  expect(ran).toEqual([1, 2, 3])
})
