/** Finding the files of an import: an unreadable file is reported before the load begins. */
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MillbookError } from '../../src/errors.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { folderOf } from '../setup/files.js'

const vendors = { 'vendors.csv': 'code,name\nV1,Vendor\n' }

it('a folder that is named like a file', () => {
  const folder = folderOf(vendors)
  mkdirSync(join(folder, 'items.csv'))
  expect(() => findFiles(folder)).toThrow(new MillbookError('items.csv: is a folder; an import reads files'))
})

it('a device', () => {
  const folder = folderOf(vendors)
  symlinkSync('/dev/null', join(folder, 'items.csv'))
  expect(() => findFiles(folder)).toThrow(new MillbookError('items.csv: is not a file; an import reads files'))
})

it('a link to nothing', () => {
  const folder = folderOf(vendors)
  symlinkSync(join(folder, 'nothing'), join(folder, 'items.csv'))
  expect(() => findFiles(folder)).toThrow(/^items\.csv: cannot be read: ENOENT/)
})

it('a file without the right to read it', () => {
  const folder = folderOf({ ...vendors, 'items.csv': 'sku\n' })
  chmodSync(folder, 0o755)
  chmodSync(join(folder, 'items.csv'), 0)
  const isRoot = process.getuid?.() === 0 // root may read every file
  if (isRoot) process.seteuid?.(65_534)
  try {
    expect(() => findFiles(folder)).toThrow(/^items\.csv: cannot be read: EACCES/)
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})

it.each(['csv', 'jsonl', 'parquet'])('a %s file that goes away before it is read', async (ending) => {
  const folder = folderOf({ [`vendors.${ending}`]: 'x' })
  const source = findFiles(folder)
  rmSync(join(folder, `vendors.${ending}`))
  const read = async () => {
    for await (const _ of source.chunks());
  }
  const error = await read().catch((error) => error)
  expect(error).toBeInstanceOf(MillbookError)
  expect(error.message).toMatch(new RegExp(`^vendors\\.${ending}: cannot be read: ENOENT`))
})
