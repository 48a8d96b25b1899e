/** Waiting for the file of a report that another request computes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { server } from '../../src/db/server.js'
import type { EditionAsked } from '../../src/kernel/answer/editions.js'
import type { Readers } from '../../src/kernel/answer/readers.js'
import { Wholes } from '../../src/kernel/answer/wholes.js'
import { SnapshotFolder } from '../../src/store/snapshots.js'
import { tempFolder } from '../setup/files.js'

it('a waiting request learns that a full disk prevented the file', async () => {
  const files = new SnapshotFolder(tempFolder())
  const wholes = new Wholes(server, {} as Readers, files, () => {})
  const edition = { key: 'one' } as EditionAsked
  expect(await wholes.comes(edition)).toBe(false)
  const making = files.make('one', async () => {
    await sleep(50)
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  making.catch(() => {})
  expect(await wholes.comes(edition)).toBe(false)
  await expect(making).rejects.toThrow('no space left on device')
})
