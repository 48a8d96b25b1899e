/** The rows of a connector's queries, as a source of the loader. */
import { MillbookError } from '../errors.js'
import type { Column } from '../import/columns.js'
import type { Chunk, Source } from '../import/source.js'
import { nearest } from '../nearest.js'
import type { Connector } from './connector.js'
import { type PullSource, SourceError } from './source.js'
import { withParameters } from './sql-text.js'
import { importCell } from './values.js'

/** Throws if a name is not one of the connector's parameters. */
export function checkParameters({ name, parameters }: Connector, given: Readonly<Record<string, string>>): void {
  const names = Object.keys(parameters)
  const unknown = Object.keys(given).find((one) => !names.includes(one))
  if (unknown === undefined) return
  const there = names.length === 0 ? 'it has none' : `there are ${names.join(', ')}`
  throw new MillbookError(`the connector ${name} has no parameter ${unknown}${nearest(unknown, names)}; ${there}`)
}

export function rowsOf(
  connector: Connector,
  source: PullSource,
  given: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Source {
  const parts = connector.queries.map(({ entity, file, text }) => ({ entity, name: file, text }))
  const literals = Object.fromEntries(
    Object.keys(connector.parameters).map((name) => [
      name,
      given[name] === undefined ? 'null' : source.literal(given[name]),
    ]),
  )
  async function* chunks(): AsyncGenerator<Chunk> {
    for (const [i, part] of parts.entries()) {
      try {
        yield* chunksOf(part, i)
      } catch (error) {
        throw error instanceof SourceError ? ofQuery(connector, part.name, error) : error
      }
    }
  }
  async function* chunksOf(part: (typeof parts)[number], i: number): AsyncGenerator<Chunk> {
    signal?.throwIfAborted()
    const { columns, batches } = await source.query(withParameters(part.text, literals, connector.dialect))
    const types = columns.map((name) => (part.entity.columns as Record<string, Column>)[name])
    yield { part, header: columns, rows: [], done: i / parts.length }
    let line = 0
    for await (const batch of batches) {
      signal?.throwIfAborted()
      const rows = batch.map((values) => ({
        line: ++line,
        header: columns,
        cells: values.map((value, at) => importCell(value, types[at])),
      }))
      yield { part, rows, done: i / parts.length }
    }
    yield { part, rows: [], last: true, done: (i + 1) / parts.length }
  }
  return { name: connector.name, parts, chunks }
}

/** Names the query in its error. If a table is missing, the database may be of another program. */
const ofQuery = (
  { name, shipped, about, tried }: Connector,
  file: string,
  { message, lacksTable }: SourceError,
): SourceError =>
  new SourceError(
    `${file}: ${message}${lacksTable && shipped ? `. Is it the right database? The connector ${name} is for: ${about} Tried with: ${tried}` : ''}`,
    lacksTable,
  )
