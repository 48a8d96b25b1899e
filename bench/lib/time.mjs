/** @param {() => Promise<unknown>} work */
export async function seconds(work) {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

/** @param {readonly number[]} numbers */
export const median = (numbers) => quantile(numbers, 0.5)

/** @param {readonly number[]} numbers @param {number} part from 0 to 1 */
export function quantile(numbers, part) {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
