/** Changes as one table: the first column, `_change`, says `upsert` or `delete`; a deleted record has its key only. */
import type { Changes, Records } from '../kernel/answer/answer.js'
import { CHANGE } from '../kernel/report/difference.js'
import { type Field, type Fields, OrNull, Word } from '../kernel/report/fields.js'
import { keyed } from '../kernel/report/keyed.js'
import { type Report, type Shape, withShapes } from '../kernel/report/report.js'

const field = Word(
  ['upsert', 'delete'],
  '`upsert` for a new or changed record, `delete` for a removed record, which has its key only.',
)
const mark = (word: 'upsert' | 'delete') => Buffer.from(`{"${CHANGE}":"${word}",`)
/** Both have the same length; they replace a record's opening brace. */
const [UPSERT, DELETE] = [mark('upsert'), mark('delete')]

const known = new WeakMap<Report, Report>()

/** The report of such a table. */
export function changesReport(report: Report): Report {
  const found = known.get(report)
  if (found !== undefined) return found
  const shapes = [...keyed(report).shapes].map(([name, shape]) => [name, changesShape(shape)] as const)
  const made = withShapes(report, new Map(shapes))
  known.set(report, made)
  return made
}

function changesShape(shape: Shape): Shape {
  const key = shape.orderBy.map(({ column }) => column)
  return { ...shape, record: { [CHANGE]: field, ...orNull(shape.record, key, '') } }
}

/** Every field outside the key may be null. */
const orNull = (fields: Fields, key: readonly string[], prefix: string): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]: [string, Field]) => {
      const column = `${prefix}${name}`
      if (field.kind === 'nested') return [name, { ...field, fields: orNull(field.fields, key, `${column}_`) }]
      return [
        name,
        field.kind === 'lines' || key.includes(column) || field.absent !== undefined ? field : OrNull(field),
      ]
    }),
  )

/** The records of such a table. */
export function changedRecords(upserts: Records, { removed }: Pick<Changes, 'removed'>): Records {
  const count = upserts.count + removed.count
  const texts = async function* () {
    for await (const run of upserts.texts()) yield run.map((text) => Buffer.concat([UPSERT, text.subarray(1)]))
    for await (const run of removed.texts()) yield run.map((text) => Buffer.concat([DELETE, text.subarray(1)]))
  }
  return {
    total: upserts.total + removed.total,
    count,
    size:
      [upserts, removed].reduce((sum, { size, count }) => sum + size + (UPSERT.length - 1) * count, 0) +
      betweenOf(upserts, removed),
    isLarge: upserts.isLarge || removed.isLarge,
    async *joined() {
      let first = true
      for await (const run of texts())
        for (const text of run) {
          yield first ? text : Buffer.concat([COMMA, text])
          first = false
        }
    },
    texts,
    file: (name, write) => upserts.file(name, write),
    recall: (name) => upserts.recall(name),
    keep: (name, value, bytes) => upserts.keep(name, value, bytes),
  }
}

const COMMA = Buffer.from(',')
const betweenOf = (one: Records, other: Records) => (one.count > 0 && other.count > 0 ? COMMA.length : 0)
