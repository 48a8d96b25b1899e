/** Finds items, customers, vendors, orders, invoices and batches by a part of their number or name. */
import { reportNamed } from '../../../kernel/report/names.js'
import { readParams } from '../../../kernel/report/params.js'
import { searchParams } from '../../../search/params.js'
import { MOST_TOKENS, rowsThatFit } from '../answer.js'
import { exampleOf } from '../asked.js'
import { Refusal } from '../refusal.js'
import type { Tool } from '../tool.js'

export const lookUp: Tool = {
  name: 'look_up',
  title: 'Look up a thing',
  about:
    'Codes of items, batches, orders, invoices, work orders, receipts, customers, vendors by a part of a number or name.',
  takes: { text: { kind: 'text', required: true } },
  gives: {
    total: { type: 'integer' },
    shown: { type: 'integer' },
    rows: { type: 'array', items: { type: 'object' } },
    note: { type: 'string' },
  },
  optional: ['note'],
  example: () => ({ name: 'look_up', arguments: { text: searchParams.q.example } }),
  async run(given, source, signal) {
    const read = readParams(searchParams, { q: given['text'] })
    if ('errors' in read) {
      const [error] = read.errors
      throw new Refusal(`text ${error?.message}`, lookUp.example(source, given))
    }
    const [state, hits] = [await source.state(signal), await source.search(read.values.q, signal)]
    const found = hits.map(({ behind, ...hit }) => {
      const report = behind && reportNamed(behind.report, source.reports)
      return { ...hit, ...(report !== undefined && behind && { call: exampleOf(report, behind.params) }) }
    })
    const head = { version: state.version, period: { today: state.today }, total: found.length }
    const rows = rowsThatFit(found, head, { rows: found.length, tokens: MOST_TOKENS })
    const note =
      found.length === 0
        ? 'Nothing has this in its number or name; try a shorter part.'
        : 'At most 8 of each kind; a longer text finds fewer.'
    return { ...head, shown: rows.length, rows, note }
  },
}
