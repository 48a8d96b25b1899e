/** The sample company: reproducible by its seed, of the requested size and dates. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { type SampleOptions, sampleCompany } from '../../src/demo/sample.js'
import { long } from '../setup/tier.js'

async function made(options: Partial<SampleOptions>) {
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  for await (const chunk of sampleCompany({ today: '2026-06-30', months: 2, ...options }).chunks()) {
    rows[chunk.part.name] = (rows[chunk.part.name] ?? 0) + chunk.rows.length
    hash.update(JSON.stringify([chunk.part.name, chunk.rows.map(({ cells }) => cells)]))
  }
  return { hash: hash.digest('hex'), rows }
}

it('the same seed gives the same company, another seed another company', async () => {
  const of = (seed: number) => made({ seed, scale: 0.1 })
  const one = await of(5)
  expect(await of(5)).toEqual(one)
  expect((await of(6)).hash).not.toBe(one.hash)
})

it('rows grow with the scale', async () => {
  for (const scale of long ? [0.1, 1, 5] : [0.1, 0.5]) {
    const { rows } = await made({ scale })
    expect(rows['items'], `items at scale ${scale}`).toBeGreaterThan(200 * scale)
    expect(rows['stock_movements'], `movements at scale ${scale}`).toBeGreaterThan(5000 * scale)
  }
})

it('movements begin on the first of the month `months` ago and end on the given day', async () => {
  const dates: string[] = []
  for await (const { part, rows } of sampleCompany({ today: '2026-03-31', months: 1, scale: 0.1 }).chunks())
    if (part.name === 'stock_movements') dates.push(...rows.map(({ cells }) => String(cells[1])))
  expect(dates[0]).toBe('2026-02-01')
  expect(dates.at(-1)).toBe('2026-03-31')
  expect(dates).toEqual(dates.toSorted())
})
