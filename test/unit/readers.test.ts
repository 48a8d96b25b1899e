/** Which database a report is read from. */
import { expect, it } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { Problem } from '../../src/errors.js'
import { type EditionAsked, Outdated } from '../../src/kernel/answer/editions.js'
import { Readers } from '../../src/kernel/answer/readers.js'
import type { Replicas } from '../../src/store/replicas.js'
import { OtherSchema } from '../../src/store/versions.js'

/** Reads with a replica that fails; returns the database that was read in the end or the error, and what became of the replica. */
async function readAfter(failure: unknown) {
  const left: unknown[] = []
  const reported: unknown[] = []
  const replica = { server: { name: 'replica-1' }, run: (read: (db: string) => unknown) => read('replica') }
  const replicas = { having: () => [replica], leaveOut: (one: unknown) => left.push(one) } as unknown as Replicas
  const readers = new Readers('primary' as unknown as Db, replicas, (error) => reported.push((error as Error).cause))
  const reading = readers.run(
    { by: { id: '7' } } as EditionAsked,
    new AbortController().signal,
    async (db, onReplica) => {
      if (onReplica) throw failure
      return db
    },
  )
  return { found: await reading.catch((error) => error), left: left.length, reported }
}

const withCode = (code: string) => Object.assign(new Error(), { code })

it.each([
  ['has not replayed a migration yet', new OtherSchema(1)],
  ['has another version', new Outdated()],
])('a replica that %s is left out, and the primary is read', async (_, failure) => {
  expect(await readAfter(failure)).toEqual({ found: 'primary', left: 1, reported: [] })
})

it('a replica that fails is left out and reported, and the primary is read', async () => {
  const failure = withCode('08006')
  expect(await readAfter(failure)).toEqual({ found: 'primary', left: 1, reported: [failure] })
})

it('a replica whose connections are all in use is not left out', async () => {
  expect(await readAfter(withCode('CONNECTIONS_LEASED'))).toEqual({ found: 'primary', left: 0, reported: [] })
})

it.each([
  ['exceeds the time limit', withCode('57014')],
  ['has a problem that it would have on the primary too', new Problem('timeout')],
  ['finds the disk full', withCode('ENOSPC')],
])('a read that %s is not repeated', async (_, failure) => {
  expect(await readAfter(failure)).toEqual({ found: failure, left: 0, reported: [] })
})
