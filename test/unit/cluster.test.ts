/** A Citus cluster whose nodes do not respond or disagree; test/process/citus.test.ts has the real ones. */
import { expect, it } from 'vitest'
import { cluster } from '../../src/db/cluster/engine.js'
import type { Db } from '../../src/db/connect.js'

/** A coordinator that has version 7, and whose shards answer like this. */
function coordinator(shards: () => object[]): Db {
  const tx = async (parts: TemplateStringsArray, ..._values: unknown[]) => {
    const text = parts.join('?')
    if (text.includes('bool_and')) return shards()
    return text.includes('data_version') ? [{ id: '7' }] : []
  }
  return { begin: (_how: string, work: (on: typeof tx) => Promise<unknown>) => work(tx) } as unknown as Db
}

const read = (shards: () => object[]) => cluster.inVersion(coordinator(shards), '', async () => 'read')

it('a node that does not respond gives 503 that names it, also in /readyz, which reads like a report', async () => {
  const away = Object.assign(new Error('connection to the remote node failed'), { code: '08006', severity: 'ERROR' })
  const failing = read(() => {
    throw away
  })
  await expect(failing).rejects.toMatchObject({
    ...{ status: 503, detail: 'A node of the database cluster does not respond; try again in a minute.', cause: away },
  })
})

it('a node that lacks a part of the last load gives 503; nodes that agree are read', async () => {
  await expect(read(() => [{ same: false }])).rejects.toMatchObject({
    ...{
      status: 503,
      detail: 'A node of the database cluster is still completing the last load; try again in a minute.',
    },
  })
  expect(await read(() => [{ same: true }])).toBe('read')
})

it('any other error of the database stays as it is', async () => {
  const other = Object.assign(new Error('no right'), { code: '42501', severity: 'ERROR' })
  const failing = read(() => {
    throw other
  })
  await expect(failing).rejects.toBe(other)
})
