/** Messages of the server in chunks of any size: rows go to their reader as joined texts, all others to the driver. */
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WireConnection } from '../../src/db/wire.js'
import { runs } from '../setup/tier.js'
import { unicodeText } from '../setup/unicode-text.js'

function message(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(5)
  header.write(type)
  header.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([header, body])
}

function row(text: string): Buffer {
  const value = Buffer.from(text)
  const header = Buffer.alloc(6)
  header.writeInt16BE(1)
  header.writeInt32BE(value.length, 2)
  return message('D', Buffer.concat([header, value]))
}

const NOTICE = message('N', Buffer.from('SNOTICE\0MDZ,D\0\0'))
const COMPLETE = message('C', Buffer.from('SELECT 1\0'))
const READY = message('Z', Buffer.from('I'))

it('with chunks of any size, the texts are the rows in order, and the driver gets every other message', () => {
  const texts = fc.array(fc.oneof(unicodeText(), fc.constantFrom('', 'D', 'ZZZZZZ', ',', 'x'.repeat(300))))
  fc.assert(
    fc.property(
      texts,
      texts,
      fc.array(fc.nat(40)),
      fc.array(fc.integer({ min: 1, max: 30 })),
      (one, other, notices, cuts) => {
        const withNotices = (rows: readonly string[]) =>
          rows.flatMap((text, i) => (notices.includes(i) ? [NOTICE, row(text)] : [row(text)]))
        const connection = new WireConnection({ ssl: true })
        const stream = new PassThrough()
        connection.attachListeners(stream)
        const seen: string[] = []
        for (const name of ['notice', 'commandComplete', 'readyForQuery']) connection.on(name, () => seen.push(name))
        connection.on('dataRow', ({ fields }) => seen.push(fields[0]))

        const run = (rows: readonly string[]) => {
          const starts: number[] = []
          const taken: Buffer[] = []
          let size = 0
          connection.takeTexts({
            beginText: (at) => starts.push(size + at),
            take: (bytes) => {
              taken.push(Buffer.from(bytes))
              size += bytes.length
            },
          })
          send(Buffer.concat([...withNotices(rows), COMPLETE, READY]))
          expect(Buffer.concat(taken).toString()).toBe(rows.join())
          let next = 0
          const expected = rows.map((text) => {
            const start = next
            next += Buffer.byteLength(text) + 1
            return start
          })
          expect(starts).toEqual(expected)
        }
        const send = (bytes: Buffer) => {
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const end = at + (cuts[i % cuts.length] ?? bytes.length)
            stream.emit('data', Buffer.from(bytes.subarray(at, end)))
            at = end
          }
        }
        run(one)
        send(Buffer.concat([row('for the driver'), COMPLETE, READY]))
        run(other)
        const others = (rows: readonly string[]) => rows.flatMap((_, i) => (notices.includes(i) ? ['notice'] : []))
        const end = ['commandComplete', 'readyForQuery']
        expect(seen).toEqual([...others(one), ...end, 'for the driver', ...end, ...others(other), ...end])
      },
    ),
    { numRuns: runs(100, 1000) },
  )
})
