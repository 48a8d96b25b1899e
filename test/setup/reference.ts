/** The answers of a service without faults at each version of the data, to compare other services with. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { reports } from '../../src/reports/index.js'
import { good } from './good-files.js'
import { requestsFor } from './requests.js'
import type { Service } from './service.js'

const range = { from_date: '2024-01-01', to_date: '2024-12-31' }

/** A request for each report, but not for what loads did: their moments differ from database to database. */
export const questions = reports
  .filter(({ group }) => group !== 'history')
  .map((report) => ({ report, body: requestsFor(report, range)[0] as object }))

/** Random numbers from 0 to 1, the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** The files of the load that makes a version; each load changes other rows. */
export function filesOf(version: number, next: () => number): Record<string, string> {
  if (version === 1) return good
  const upTo = (n: number) => String(1 + Math.floor(next() * n)).padStart(2, '0')
  const movements = Array.from(
    { length: 300 },
    (_, i) => `V${version}-${i},2024-${upTo(12)}-${upTo(28)},other_receipt,RM1,Plant,${Number(upTo(9))},2,3`,
  )
  return {
    'items.csv': `sku,name,type,unit\nFG1,Ghee ${version},FG,JAR\n`,
    'stock_movements.csv': `movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\n${movements.join('\n')}\n`,
  }
}

const hashOf = (record: unknown) => createHash('sha256').update(JSON.stringify(record)).digest('base64url').slice(0, 16)

/** The largest page. */
const PAGE = 1000

export class Reference {
  readonly #service: Service
  /** By version and report: the hash of each record. */
  readonly #records = new Map<number, ReadonlyMap<string, readonly string[]>>()

  constructor(service: Service) {
    this.#service = service
  }

  /** Loads the files of a version and stores the answers. */
  async load(version: number, folder: string): Promise<void> {
    const { errors, committed } = await load(this.#service.database, findFiles(folder))
    expect([errors.first, committed]).toEqual([[], true])
    const found = new Map<string, string[]>()
    for (const { report, body } of questions) {
      const records: unknown[] = []
      for (let page = 1, more = true; more; page++) {
        const response = await this.#service.call({ path: report.path, body, query: { page, 'per-page': PAGE } })
        const { statusCode, headers } = response
        expect([report.id, statusCode, headers['x-data-version']]).toEqual([report.id, 200, String(version)])
        const { data } = response.json()
        records.push(...data)
        more = data.length === PAGE
      }
      found.set(report.id, records.map(hashOf))
    }
    this.#records.set(version, found)
  }

  /** Describes a difference between records in any order; undefined if there is none. */
  differenceOfAll(version: number, id: string, data: readonly unknown[]): string | undefined {
    const records = this.#records.get(version)?.get(id)
    if (records === undefined) return `there is no version ${version}`
    const same = JSON.stringify(data.map(hashOf).sort()) === JSON.stringify(records.toSorted())
    return same ? undefined : `${id}, followed up to version ${version}, differs`
  }

  /** Describes the difference of an answer, if there is one. `first` is the first record of its page; undefined without a page. */
  difference(version: number, id: string, data: readonly unknown[], first?: number): string | undefined {
    const records = this.#records.get(version)?.get(id)
    if (records === undefined) return `there is no version ${version}`
    const found = data.map(hashOf)
    const { perPage } = questions.find(({ report }) => report.id === id)?.report ?? {}
    const expected = first === undefined ? records.slice(0, perPage) : records.slice(first, first + found.length)
    return JSON.stringify(found) === JSON.stringify(expected) ? undefined : `${id} at version ${version} differs`
  }
}
