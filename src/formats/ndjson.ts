/** A record of JSON on each line, as in the contract's `data`. */
import type { Format } from './format.js'

const NEWLINE = Buffer.from('\n')

export default {
  name: 'ndjson',
  label: 'JSON lines',
  share: 1,
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  keepsRecords: true,
  async *encode(records) {
    for await (const texts of records.texts()) {
      const lines = texts.flatMap((text) => [text, NEWLINE])
      if (lines.length > 0) yield Buffer.concat(lines)
    }
  },
  length: ({ size, count }) => size + (count > 0 ? 1 : 0), // a newline in place of each comma, and one at the end
} satisfies Format
