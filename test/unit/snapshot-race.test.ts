/** Two processes write the same snapshot file, and the first fails while the second opens its partial file. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { SnapshotFolder } from '../../src/store/snapshots.js'

/** A promise that the test resolves. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

it('a process that locks the partial file of a failed one does not publish the partial file of a third', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millbook-snapshot-race-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [failing, late, third] = [1, 2, 3].map(() => new SnapshotFolder(folder)) as [
    ...[SnapshotFolder, SnapshotFolder, SnapshotFolder],
  ]
  const [begun, fail, half, finish] = [gate(), gate(), gate(), gate()]
  const failed = failing
    .make('a', async () => {
      begun.open()
      await fail.opened
      throw new Error('no')
    })
    .catch((error) => error.message)
  await begun.opened

  let written: Promise<void> | undefined
  const { open } = promises
  const opening = vi.spyOn(promises, 'open').mockImplementationOnce(async (...args) => {
    const part = await open(...args)
    fail.open()
    expect(await failed).toBe('no') // its partial file and its lock are gone
    written = third.make('a', async (file) => {
      await file.write('first half, ')
      half.open()
      await finish.opened
      await file.write('second half')
    })
    await half.opened
    return part
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    opening.mockRestore()
    syncBuiltinESMExports()
  })
  const writes = vi.fn(async () => {})
  await late.makeIfFree('a', writes) // returns, because the third process is writing it
  expect(opening).toHaveBeenCalled()
  expect([writes.mock.calls.length, readdirSync(folder)]).toEqual([0, ['a.part']])
  finish.open()
  await written
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('first half, second half')
})
