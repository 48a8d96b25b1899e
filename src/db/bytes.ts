/** Runs statements with one text column and returns its values as undecoded bytes. */
import pg from 'pg'
import Cursor from 'pg-cursor'
import type { Queryable } from './db.js'
import type { Sql, Value } from './sql.js'

/** A row on the wire: the number of columns (2 bytes), the length of the only value (4 bytes), the value. */
interface RowBytes {
  chunk: Buffer
}
const TEXT_AT = 2 + 4

/** A copy, because the driver reuses its buffer. */
const textOf = ({ chunk }: RowBytes): Buffer => Buffer.from(chunk.subarray(TEXT_AT))

class BytesQuery extends pg.Query {
  readonly texts: Buffer[] = []

  handleCopyData(row: RowBytes): void {
    this.texts.push(textOf(row))
  }
}

/** All rows. */
export async function readBytes(db: Queryable, statement: Sql): Promise<Buffer[]> {
  const { client, release } = await db.lease()
  try {
    return await client.guard(
      () =>
        new Promise((resolve, reject) => {
          const query = new BytesQuery(client.prepared(statement), (error) =>
            error ? reject(error) : resolve(query.texts),
          )
          client.queryAsBytes(query)
        }),
    )
  } finally {
    release()
  }
}

/** A method of the driver's cursor that its types leave out. */
interface TakesRows {
  handleDataRow(row: { fields: readonly Buffer[] }): void
}

class BytesCursor extends Cursor<[Buffer]> {
  handleCopyData(row: RowBytes): void {
    ;(this as unknown as TakesRows).handleDataRow({ fields: [textOf(row)] })
  }
}

const UNPARSED = { getTypeParser: () => (value: unknown) => value } as pg.CustomTypesConfig

/** All rows through a cursor, in batches. A caller that leaves the loop early closes the cursor. */
export async function* streamBytes(db: Queryable, { text, values }: Sql, atATime: number): AsyncGenerator<Buffer[]> {
  const { client, release } = await db.lease()
  try {
    const cursor = await client.guard(async () =>
      client.queryAsBytes(new BytesCursor(text, values as Value[], { rowMode: 'array', types: UNPARSED })),
    )
    try {
      while (true) {
        const rows = await client.guard(() => cursor.read(atATime))
        if (rows.length === 0) return
        yield rows.map(([bytes]) => bytes)
      }
    } finally {
      if (!client.readyForQuery && client.lost === undefined) cursor.close(() => {})
      await client.settled()
    }
  } finally {
    release()
  }
}
