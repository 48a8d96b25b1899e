/**
 * Calls servers alternately, in a separate process: a process that has loaded a company before is too slow a caller. Takes
 * its options as JSON in its only argument, and prints the responses per second of each server in each round as JSON.
 */
import { callRepeatedly } from './http.mjs'

/** @type {{ targets: import('./http.mjs').Target[], rounds: number, connections: number, seconds: number }} */
const { targets, rounds, ...how } = JSON.parse(process.argv[2] ?? '')
/** @type {number[][]} */
const found = []
for (let round = 0; round < rounds; round++) {
  /** @type {number[]} */
  const own = []
  for (const target of targets) own.push((await callRepeatedly(target, how)).perSecond)
  found.push(own)
}
console.log(JSON.stringify(found))
