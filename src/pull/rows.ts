/** The rows of a connector's queries, as a source of the loader. */
import { createHash } from 'node:crypto'
import { MillbookError } from '../errors.js'
import type { Column } from '../import/columns.js'
import type { Chunk, Part, Source } from '../import/source.js'
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
  description: string,
): Source {
  const literals = Object.fromEntries(
    Object.keys(connector.parameters).map((name) => [
      name,
      given[name] === undefined ? 'null' : source.literal(given[name]),
    ]),
  )
  const withValues = (text: string) => withParameters(text, literals, connector.dialect)
  const parts = connector.queries.map(({ entity, file, text, changed }): QueryPart => {
    const query = withValues(text)
    const by = changed === undefined ? undefined : withValues(changed)
    return {
      ...{ entity, name: file, query },
      fingerprint: () =>
        fingerprintOf(source, query, by, description).catch((error) => {
          throw error instanceof SourceError ? ofQuery(connector, file, error) : error
        }),
      unchanged: async () => true, // it is read in the snapshot that its fingerprint is of
    }
  })
  async function* chunks(of: readonly Part[] = parts): AsyncGenerator<Chunk> {
    const read = parts.filter((part) => of.includes(part))
    for (const [i, part] of read.entries()) {
      try {
        yield* chunksOf(part, i, read.length)
      } catch (error) {
        throw error instanceof SourceError ? ofQuery(connector, part.name, error) : error
      }
    }
  }
  async function* chunksOf(part: QueryPart, i: number, all: number): AsyncGenerator<Chunk> {
    signal?.throwIfAborted()
    const { columns, batches } = await source.query(part.query)
    const types = columns.map((name) => (part.entity.columns as Record<string, Column>)[name])
    yield { part, header: columns, rows: [], done: i / all }
    let line = 0
    for await (const batch of batches) {
      signal?.throwIfAborted()
      const rows = batch.map((values) => ({
        line: ++line,
        header: columns,
        cells: values.map((value, at) => importCell(value, types[at])),
      }))
      yield { part, rows, done: i / all }
    }
    yield { part, rows: [], last: true, done: (i + 1) / all }
  }
  return { name: connector.name, parts, chunks, again: true }
}

/** An entity with its query, in which parameters have their values. */
interface QueryPart extends Part {
  readonly query: string
}

/** A hash of the query and of the state of everything that it reads; undefined if that state is not known. */
async function fingerprintOf(
  source: PullSource,
  query: string,
  changed: string | undefined,
  description: string,
): Promise<string | undefined> {
  const state = changed === undefined ? await source.stamp?.(query) : await valuesOf(source, changed)
  if (state === undefined) return undefined
  const hash = createHash('sha256').update(JSON.stringify([description, query, changed ?? null, state]))
  return `query ${hash.digest('hex')}`
}

/** The whole result of a small query. */
async function valuesOf(source: PullSource, query: string): Promise<string> {
  const { columns, batches } = await source.query(query)
  const rows: unknown[] = []
  for await (const batch of batches) rows.push(...batch)
  return JSON.stringify([columns, rows], (_, value) => (typeof value === 'bigint' ? String(value) : value))
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
