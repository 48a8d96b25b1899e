/** @param {() => Promise<unknown>} work */
export async function seconds(work) {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

/**
 * Runs two works alternately. Returns the seconds of both in the turn with the median ratio, or `one` of the seconds of each.
 * @param {number} turns @param {readonly (() => Promise<number>)[]} works each returns its seconds
 * @param {(seconds: readonly number[]) => number} [one]
 */
export async function inTurns(turns, works, one) {
  const found = await eachTurn(turns, works)
  if (one === undefined) return medianTurn(found)
  return works.map((_, i) => one(found.map((own) => own[i] ?? Number.NaN)))
}

/**
 * Runs works alternately; returns their seconds per turn. Every other turn runs in the opposite order, because a work may
 * run faster after one neighbour than after the other.
 * @param {number} turns @param {readonly (() => Promise<number>)[]} works each returns its seconds
 */
export async function eachTurn(turns, works) {
  /** @type {number[][]} */
  const found = []
  for (let turn = 0; turn < turns; turn++) {
    const order = [...works.entries()]
    if (turn % 2 === 1) order.reverse()
    const own = works.map(() => 0)
    for (const [i, work] of order) own[i] = await work()
    found.push(own)
  }
  return found
}

/**
 * The turn whose first and `other` number have the median ratio. The machine's speed changes within seconds, and the two numbers
 * of a turn less than the numbers of different turns.
 * @param {readonly (readonly number[])[]} turns
 */
export function medianTurn(turns, other = 1) {
  /** @param {readonly number[]} turn */
  const ratio = (turn) => (turn[0] ?? 0) / (turn[other] ?? 1)
  return [...turns].sort((a, b) => ratio(a) - ratio(b))[Math.floor(turns.length / 2)] ?? []
}

/** @param {readonly number[]} numbers */
export const median = (numbers) => quantile(numbers, 0.5)

/** @param {readonly number[]} numbers @param {number} part from 0 to 1 */
export function quantile(numbers, part) {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
