/** Snapshot files: written once, bounded in bytes and age, and read in slices. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { LARGEST_WITHOUT_FILE } from '../../src/kernel/answer/wholes.js'
import {
  collectRecords,
  cut,
  Growing,
  readRecords,
  split,
  streamJoined,
  streamRecords,
  writeRecords,
} from '../../src/store/records.js'
import { LIMITS, newSnapshotFolder, SnapshotFolder } from '../../src/store/snapshots.js'
import { piecesOf } from '../setup/texts.js'
import { runs } from '../setup/tier.js'
import { unicodeText } from '../setup/unicode-text.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millbook-snapshots-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** One record. */
const ONE = piecesOf(['1'], 100)

it('any slice of a snapshot has the records that were written', async () => {
  const files = new SnapshotFolder(folder)
  let made = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(unicodeText({ minLength: 1 }).map((text) => JSON.stringify(text))),
      fc.integer({ min: 1, max: 100 }),
      fc.nat(12),
      fc.integer({ min: 1, max: 12 }),
      async (all, pieceBytes, first, some) => {
        const name = `file${made++}`
        await files.make(name, (file) => writeRecords(file, piecesOf(all, pieceBytes)))
        const path = files.path(name)
        const slice = await readRecords(path, first, some)
        const expected = all.slice(first, first + some)
        expect([slice?.total, slice?.size]).toEqual([all.length, Buffer.byteLength(expected.join())])
        expect(String(slice?.texts?.bytes)).toBe(expected.join())
        expect(slice?.texts && split(slice.texts).map(String)).toEqual(expected)

        const bytes = Buffer.from(all.join())
        expect(await readRecords(path, 0, Number.POSITIVE_INFINITY, bytes.length)).toMatchObject({ texts: { bytes } })
        expect((await readRecords(path, 0, Number.POSITIVE_INFINITY, bytes.length - 1))?.texts).toBeUndefined()
        const records: string[] = []
        for await (const run of streamRecords(path)) records.push(...run.map(String))
        expect(records).toEqual(all)
        if (bytes.length === 0) return
        const read: Buffer[] = []
        for await (const piece of streamJoined(path)) read.push(piece)
        expect(Buffer.concat(read)).toEqual(bytes)
      },
    ),
    { numRuns: runs(40, 300) },
  )
})

it('written records of an unfinished file can be read at once, and later ones as soon as they are written', async () => {
  const all = Array.from({ length: 50 }, (_, i) => JSON.stringify('x'.repeat(i)))
  const pieces = piecesOf(all, 70)
  const files = new SnapshotFolder(folder)
  let growing: Growing | undefined
  const read = async (first: number, count: number) => {
    const texts = await growing?.read(first, count)
    return texts && split(texts).map(String)
  }
  let reads = 0
  const waiting: Promise<unknown>[] = []
  async function* written() {
    let begun = 0
    for (const piece of pieces) {
      yield piece
      begun += piece.starts.length
      for (const first of [0, 7, begun - 4, begun - 3])
        if (first >= 0 && first + 2 < begun) {
          expect(await read(first, 2)).toEqual(all.slice(first, first + 2))
          reads++
        }
      for (const first of [begun, begun + 1]) expect(await read(first, 2)).toBeUndefined()
      // The last record may be incomplete: it and the next come with the next pieces, or with the finished file.
      const [first, expected] = [begun - 1, all.slice(begun - 1, begun + 1)]
      waiting.push(read(first, 2).then((found) => expect(found).toEqual(first + 2 < all.length ? expected : undefined)))
    }
  }
  await files.make('a', async (file) => {
    growing = new Growing(file)
    await writeRecords(file, written(), { growing })
    expect(await read(0, 2)).toBeUndefined() // from now on, the finished file is read
  })
  await Promise.all(waiting)
  expect(reads).toBeGreaterThan(20)
})

it('two processes that share a folder write each file once', async () => {
  const [one, other] = [new SnapshotFolder(folder), new SnapshotFolder(folder)]
  let times = 0
  const write = async (file: Parameters<typeof writeRecords>[0]) => {
    times++
    await new Promise((resolve) => setTimeout(resolve, 50))
    await writeRecords(file, ONE)
  }
  await Promise.all([one.make('a', write), other.make('a', write), one.make('a', write), other.makeIfFree('a', write)])
  expect(times).toBe(1)
  expect(await other.has('a')).toBe(true)
  expect(readdirSync(folder)).toEqual(['a'])
})

it('a process that checks for a file just before another finishes it does not write it again', async () => {
  const [one, other] = [new SnapshotFolder(folder), new SnapshotFolder(folder)]
  let times = 0
  const write = async (file: Parameters<typeof writeRecords>[0]) => {
    times++
    await writeRecords(file, ONE)
  }
  vi.spyOn(other, 'has').mockImplementationOnce(async () => {
    await one.make('a', write)
    return false
  })
  await other.make('a', write)
  expect(times).toBe(1)
  expect(readdirSync(folder)).toEqual(['a'])
})

it('a failed write leaves no file, and a retry succeeds', async () => {
  const files = new SnapshotFolder(folder)
  await expect(files.make('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(readdirSync(folder)).toEqual([])
  await files.make('a', (file) => writeRecords(file, ONE))
  expect(await files.has('a')).toBe(true)
})

it('the least recently used files are evicted above the limit in bytes, and old files above the limit in age', async () => {
  const kilobyte = piecesOf([JSON.stringify('x'.repeat(1000))], 300)
  const limits = { bytes: 3500, ageMs: 60_000 }
  const files = new SnapshotFolder(folder, limits)
  for (const [i, name] of ['a', 'b', 'c'].entries()) {
    await files.make(name, (file) => writeRecords(file, kilobyte))
    utimesSync(join(folder, name), Date.now() / 1000, Date.now() / 1000 - 30 + i)
  }
  utimesSync(join(folder, 'a'), Date.now() / 1000, Date.now() / 1000) // used again
  await files.make('d', (file) => writeRecords(file, kilobyte))
  await files.drain()
  expect(readdirSync(folder).sort()).toEqual(['a', 'c', 'd'])
  utimesSync(join(folder, 'a'), 0, Date.now() / 1000 - 61)
  const later = new SnapshotFolder(folder, limits) // a folder scans its files only every few seconds
  await later.make('e', (file) => writeRecords(file, ONE))
  await later.drain()
  expect(readdirSync(folder).sort()).toEqual(['c', 'd', 'e'])
  await later.make('large', (file) => writeRecords(file, piecesOf([JSON.stringify('x'.repeat(10_000))], 300)))
  await later.drain()
  expect(readdirSync(folder), 'the newest file stays, at any size').toEqual(['large'])
})

it('a process that waits for another writes the file itself if the other fails', async () => {
  const [one, other] = [new SnapshotFolder(folder), new SnapshotFolder(folder)]
  let [begun, go] = [() => {}, () => {}]
  const started = new Promise<void>((resolve) => {
    begun = resolve
  })
  const waits = new Promise<void>((resolve) => {
    go = resolve
  })
  const failing = other.make('a', async () => {
    begun()
    await waits
    throw new Error('no')
  })
  await started
  const leaves = one.makeIfFree('a', (file) => writeRecords(file, ONE)) // returns, because the other process is writing it
  const wants = one.make('a', (file) => writeRecords(file, ONE))
  await leaves
  go()
  await expect(failing).rejects.toThrow('no')
  await wants
  expect(await one.has('a')).toBe(true)
})

it('if the disk is full, old files are evicted and the write is retried', async () => {
  const files = new SnapshotFolder(folder)
  await files.make('old', (file) => writeRecords(file, ONE))
  await files.drain()
  let tries = 0
  const write = async (file: Parameters<typeof writeRecords>[0]) => {
    if (++tries === 1) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    await writeRecords(file, ONE)
  }
  await files.make('new', write)
  expect([tries, readdirSync(folder)]).toEqual([2, ['new']])
  await files.make('other', (file) => writeRecords(file, ONE))
  tries = 0
  await files.make('new.br', write)
  expect(readdirSync(folder).sort(), 'except the file that the new file is made from').toEqual(['new', 'new.br'])
  rmSync(join(folder, 'new.br'))
  rmSync(join(folder, 'new'))
  const never = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
  await expect(files.make('other', never), 'with nothing left to evict').rejects.toThrow('full')
  expect(files.isUsable).toBe(false)
  const now = performance.now()
  const clock = vi.spyOn(performance, 'now')
  onTestFinished(() => clock.mockRestore())
  for (const [later, usable] of [
    [4000, false],
    [5500, true],
  ] as const) {
    clock.mockReturnValue(now + later)
    expect([later, files.isUsable]).toEqual([later, usable])
  }
})

it('records collected in memory are limited in bytes', async () => {
  expect(LARGEST_WITHOUT_FILE).toBe(64 * 2 ** 20)
  const collect = (most: number) => collectRecords(Readable.from(piecesOf(['1'.repeat(50), '2'], 10)), most)
  expect(split(await collect(52)).map(String)).toEqual(['1'.repeat(50), '2'])
  await expect(collect(51)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '60' } })
})

it('only its user can enter a folder; it is removed with its service, or after a kill at the next start', async () => {
  expect(LIMITS).toEqual({ bytes: 2 * 2 ** 30, ageMs: 3_600_000 }) // 2 GiB, an hour
  const one = newSnapshotFolder(folder)
  await new SnapshotFolder(one.path).make('a', (file) => writeRecords(file, ONE))
  for (const path of [dirname(one.path), one.path, join(one.path, 'a')])
    expect([path, statSync(path).mode & 0o077]).toEqual([path, 0])
  const killed = mkdtempSync(join(folder, 'millbook-snapshots-'))
  writeFileSync(join(killed, 'lock'), '')
  const other = newSnapshotFolder(folder)
  expect([existsSync(killed), existsSync(one.path)]).toEqual([false, true])
  one.remove()
  other.remove()
  expect(readdirSync(folder)).toEqual([])
})

it('a file that is being written survives a cleanup after the clock has jumped', async () => {
  const [one, two] = [new SnapshotFolder(folder, { bytes: 1e6, ageMs: 60_000 }), new SnapshotFolder(folder)]
  let finish = () => {}
  let begun = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const writing = two.make('long', async (file) => {
    await file.write('x')
    begun()
    await new Promise<void>((resolve) => {
      finish = resolve
    })
  })
  await hasBegun
  writeFileSync(join(folder, 'left.part'), '') // the file of a killed process
  const later = Date.now() + 2 * 86_400_000
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
  onTestFinished(() => clock.mockRestore())
  await one.make('other', async (file) => void (await file.write('y')))
  await one.drain()
  finish()
  await writing
  expect(readdirSync(folder).sort()).toEqual(['long', 'other'])
})

it('records cut from texts in memory are the ones that were asked for', () => {
  const texts = { bytes: Buffer.from('{"a":1},{"a":2},{"a":3}'), starts: Float64Array.of(0, 8, 16) }
  const shown = (first: number, count: number) => {
    const { bytes, starts } = cut(texts, first, count)
    return [String(bytes), [...starts]]
  }
  expect(shown(1, 1)).toEqual(['{"a":2}', [0]])
  expect(shown(1, 5)).toEqual(['{"a":2},{"a":3}', [0, 8]])
  expect(shown(3, 1)).toEqual(['', []])
})
