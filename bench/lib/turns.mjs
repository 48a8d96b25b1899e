/**
 * Calls servers in turns, in a process that does nothing else: one that has loaded a company before calls more slowly, and
 * then it is the caller that is measured. Reads what to do as JSON from its only argument, and prints the answers per
 * second of each server, the median of all rounds, as a JSON array.
 */
import { callAgainAndAgain } from './http.mjs'
import { median } from './time.mjs'

/** @type {{ targets: import('./http.mjs').Target[], rounds: number, connections: number, seconds: number }} */
const { targets, rounds, ...how } = JSON.parse(process.argv[2] ?? '')
const found = targets.map(() => /** @type {number[]} */ ([]))
for (let round = 0; round < rounds; round++)
  for (const [i, target] of targets.entries()) found[i]?.push((await callAgainAndAgain(target, how)).perSecond)
console.log(JSON.stringify(found.map(median)))
