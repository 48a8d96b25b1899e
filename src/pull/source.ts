/** The source of a pull: an ERP's database, opened read-only at one moment. */
import { MillbookError } from '../errors.js'

/** The SQL dialect of a source. */
export type Dialect = 'postgres' | 'mysql' | 'sqlite' | 'sqlserver'

export interface PullSource {
  /** Streams the rows of a query, some at a time. */
  query(text: string): Promise<Result>
  /**
   * A text that differs from an earlier one if the query may return other rows than then; undefined if this source cannot tell.
   * Much faster than the query.
   */
  stamp?(text: string): Promise<string | undefined>
  /** A value as a literal of the source's SQL. */
  literal(value: string): string
  close(): Promise<void>
}

export interface Result {
  readonly columns: readonly string[]
  readonly batches: AsyncIterable<readonly (readonly SourceValue[])[]>
}

/** Decimals, dates and times come as text, so that nothing is rounded. */
export type SourceValue = string | number | bigint | boolean | null

/** The number of rows handed to the loader at a time. */
export const ROWS_AT_A_TIME = 500

export async function* inBatches<Row>(rows: AsyncIterable<Row> | Iterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = []
  for await (const row of rows) {
    batch.push(row)
    if (batch.length < ROWS_AT_A_TIME) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The source cannot be opened or read. */
export class SourceError extends MillbookError {
  /** A query named a table that the source does not have. */
  readonly lacksTable: boolean

  constructor(message: string, lacksTable = false) {
    super(message)
    this.lacksTable = lacksTable
  }
}
