/** @param {() => Promise<unknown>} work */
export async function seconds(work) {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

/**
 * The median seconds of each of some works, or another one of their seconds, done in turns; every other turn in the opposite
 * order, because a work may find another machine after one neighbour than after the other.
 * @param {number} turns @param {readonly (() => Promise<number>)[]} works each returns its seconds
 * @param {(seconds: readonly number[]) => number} one
 */
export async function inTurns(turns, works, one = median) {
  const found = works.map(() => /** @type {number[]} */ ([]))
  for (let turn = 0; turn < turns; turn++) {
    const order = [...works.entries()]
    if (turn % 2 === 1) order.reverse()
    for (const [i, work] of order) found[i]?.push(await work())
  }
  return found.map(one)
}

/** @param {readonly number[]} numbers */
export const median = (numbers) => quantile(numbers, 0.5)

/** @param {readonly number[]} numbers @param {number} part from 0 to 1 */
export function quantile(numbers, part) {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
