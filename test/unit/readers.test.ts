/** Which database a report is read from. */
import { expect, it } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import type { EditionAsked } from '../../src/kernel/answer/editions.js'
import { Readers } from '../../src/kernel/answer/readers.js'
import type { Replicas } from '../../src/store/replicas.js'
import { OtherSchema } from '../../src/store/versions.js'

it('a replica that has not replayed a migration yet is left out, and the primary is read', async () => {
  const left: unknown[] = []
  const replica = { server: { name: 'replica-1' }, run: (read: (db: string) => unknown) => read('replica') }
  const replicas = { having: () => [replica], leaveOut: (one: unknown) => left.push(one) } as unknown as Replicas
  const readers = new Readers('primary' as unknown as Db, replicas, () => {})
  const asked = { by: { id: '7' } } as EditionAsked
  const read = readers.run(asked, new AbortController().signal, async (db, onReplica) => {
    if (onReplica) throw new OtherSchema(1)
    return db
  })
  expect([await read, left]).toEqual(['primary', [replica]])
})
