/** Runs statements with one text column and returns its values as undecoded bytes, with no object per row. */
import pg from 'pg'
import { cancelled } from '../metrics/metrics.js'
import { type SqlState, stateOf } from '../sqlstate.js'
import type { Client } from './client.js'
import type { Queryable } from './db.js'
import { boundValues, type Sql } from './sql.js'
import type { TakesTexts } from './wire.js'

/** Texts joined by commas and the offset of each: all of a statement, or a piece that may begin and end inside a text. */
export interface Texts {
  readonly bytes: Buffer
  /** The offsets of the texts that begin in this piece, counted from the first byte of the first piece. */
  readonly starts: Float64Array
}

export const NO_TEXTS: Texts = { bytes: Buffer.alloc(0), starts: new Float64Array() }

const PIECE_BYTES = 1 << 18
/** Enough for most pages; a block is doubled as needed. */
const BLOCK_BYTES = 1 << 16
/** Blocks for the next statements that are read at once: a new block for each would be most of the garbage of a page. */
const spareBlocks: Buffer[] = []
const MOST_SPARE = 8
const MOST_SPARE_BYTES = 1 << 21
/** The socket is paused while this number of pieces waits for the reader. */
const MOST_WAITING = 2

/**
 * All rows, in pieces. A caller that leaves the loop early, or aborts, cancels the statement; its transaction can then only be
 * rolled back. The embedded engine finishes the requested rows first.
 */
export async function* streamTexts(db: Queryable, statement: Sql, signal?: AbortSignal): AsyncGenerator<Texts, void> {
  const { text } = statement
  const values = boundValues(statement)
  // Not a named statement: PostgreSQL then plans a report for its values.
  const query = ({ rowsAtATime }: Client) => ({ text, values, rows: rowsAtATime })
  yield* run(db, query, PIECE_BYTES, signal)
}

/** All rows at once. */
export async function readTexts(db: Queryable, statement: Sql, signal?: AbortSignal): Promise<Texts> {
  for await (const all of run(db, (client) => client.prepared(statement), Number.POSITIVE_INFINITY, signal)) return all
  return NO_TEXTS
}

async function* run(
  db: Queryable,
  queryFor: (client: Client) => pg.QueryConfig,
  pieceBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Texts, void> {
  const { client, release } = await db.lease()
  try {
    signal?.throwIfAborted()
    const query = await client.guard(async () =>
      client.queryTexts(new TextsQuery(queryFor(client), pieceBytes, client.connection)),
    )
    let cancelling: Promise<void> | undefined
    const stop = (reason: unknown) => {
      query.stop(reason)
      if (!client.readyForQuery && client.lost === undefined) cancelling ??= client.cancel()
    }
    const abort = () => stop(signal?.reason)
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
    try {
      while (true) {
        const piece = await client.guard(() => query.next())
        if (piece === undefined) return
        yield piece
      }
    } catch (error) {
      if (signal?.aborted) cancelled.add({ reason: 'abandoned' })
      else countCancelled(error)
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
      stop(new Error('the reader has stopped'))
      await cancelling
    }
  } finally {
    release()
  }
}

/** Why PostgreSQL cancels a statement. */
const REASONS: Partial<Record<SqlState, string>> = { query_canceled: 'timeout', lock_not_available: 'lock' }

function countCancelled(error: unknown): void {
  const state = stateOf(error)
  const reason = state && REASONS[state]
  if (reason !== undefined) cancelled.add({ reason })
}

/** Collects a statement's texts into pieces, and keeps the server waiting while the reader is slow. */
class TextsQuery extends pg.Query implements TakesTexts {
  readonly #inPortions: boolean
  readonly #pieceBytes: number
  readonly #connection: pg.Connection
  /** The piece that is being collected. */
  #block: Buffer
  #size = 0
  #starts = new Float64Array(64)
  #count = 0
  /** Bytes of all chunks so far. */
  #total = 0
  readonly #pieces: Texts[] = []
  #ended = false
  #failure: { error: unknown } | undefined
  #wake = () => {}
  /** Whether the statement's last message has been sent. */
  #synced = false

  constructor(query: pg.QueryConfig, pieceBytes: number, connection: pg.Connection) {
    super(query, (error) => (error ? this.#fail(error) : this.#end()))
    this.#inPortions = (query.rows ?? 0) > 0
    this.#pieceBytes = pieceBytes
    this.#block = (this.#isAtOnce && spareBlocks.pop()) || Buffer.allocUnsafeSlow(BLOCK_BYTES)
    this.#connection = connection
  }

  get #isAtOnce(): boolean {
    return this.#pieceBytes === Number.POSITIVE_INFINITY
  }

  beginText(at: number): void {
    if (this.#failure !== undefined) return
    if (this.#count === this.#starts.length) {
      const more = new Float64Array(this.#count * 2)
      more.set(this.#starts)
      this.#starts = more
    }
    this.#starts[this.#count++] = this.#total + at
  }

  take(bytes: Buffer): void {
    if (this.#failure !== undefined) return
    const size = this.#size + bytes.length
    if (size > this.#block.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(size, this.#block.length * 2))
      larger.set(this.#block.subarray(0, this.#size))
      this.#block = larger
    }
    this.#block.set(bytes, this.#size)
    this.#size = size
    this.#total += bytes.length
    if (this.#size < this.#pieceBytes) return
    this.#cut(this.#block.subarray(0, this.#size))
    this.#block = Buffer.allocUnsafeSlow(this.#block.length)
    this.#size = 0
  }

  /** The next piece; undefined at the end. */
  async next(): Promise<Texts | undefined> {
    while (true) {
      if (this.#failure !== undefined) throw this.#failure.error
      const piece = this.#pieces.shift()
      if (this.#pieces.length < MOST_WAITING) this.#connection.stream.resume()
      if (piece !== undefined || this.#ended) return piece
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Discards the rest. */
  stop(reason: unknown): void {
    this.#fail(reason)
    this.#connection.stream.resume()
  }

  #cut(bytes: Buffer): void {
    this.#pieces.push({ bytes, starts: this.#starts.slice(0, this.#count) })
    this.#count = 0
    if (this.#pieces.length >= MOST_WAITING) this.#connection.stream.pause()
    this.#wake()
  }

  #end(): void {
    if (this.#failure === undefined && (this.#size > 0 || this.#count > 0)) {
      const bytes = Buffer.allocUnsafeSlow(this.#size)
      bytes.set(this.#block.subarray(0, this.#size))
      this.#cut(bytes)
    }
    if (this.#isAtOnce && this.#block.length <= MOST_SPARE_BYTES && spareBlocks.length < MOST_SPARE)
      spareBlocks.push(this.#block)
    this.#ended = true
    this.#wake()
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#wake()
  }

  /** The requested rows are read: asks for more. */
  override handlePortalSuspended(connection: pg.Connection): void {
    if (this.#failure === undefined) super.handlePortalSuspended(connection)
    else this.#sync()
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection)
    this.#synced = true
  }

  override handleError(error: Error, connection: pg.Connection): void {
    this.#sync()
    super.handleError(error, connection)
  }

  /** Ends a statement that is read in portions, if the driver has not done so yet. The next statement closes its portal. */
  #sync(): void {
    if (this.#inPortions && !this.#synced) this.#connection.sync()
    this.#synced = true
  }
}
