/**
 * Calls servers alternately, in a process of its own: a process that has loaded a company before is too slow a caller. Takes
 * its options as JSON in its only argument, and prints each server's responses per second (median of the rounds) as a JSON
 * array.
 */
import { callRepeatedly } from './http.mjs'
import { median } from './time.mjs'

/** @type {{ targets: import('./http.mjs').Target[], rounds: number, connections: number, seconds: number }} */
const { targets, rounds, ...how } = JSON.parse(process.argv[2] ?? '')
const found = targets.map(() => /** @type {number[]} */ ([]))
for (let round = 0; round < rounds; round++)
  for (const [i, target] of targets.entries()) found[i]?.push((await callRepeatedly(target, how)).perSecond)
console.log(JSON.stringify(found.map(median)))
