/** Statements with one column of text whose rows are read as bytes: nothing decodes what is only passed on. */
import pg from 'pg'
import Cursor from 'pg-cursor'
import type { Queryable } from './db.js'
import type { Sql, Value } from './sql.js'

/** A row as it comes: the number of columns, the length of the only one, its text. */
interface RowBytes {
  chunk: Buffer
}
const TEXT_AT = 2 + 4

/** Copied, because the driver uses its buffer again. */
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

/** What the driver's cursor has beyond its types. */
interface TakesRows {
  handleDataRow(row: { fields: readonly Buffer[] }): void
}

class BytesCursor extends Cursor<[Buffer]> {
  handleCopyData(row: RowBytes): void {
    ;(this as unknown as TakesRows).handleDataRow({ fields: [textOf(row)] })
  }
}

const asTheyAre = { getTypeParser: () => (value: unknown) => value } as pg.CustomTypesConfig

/** All rows, so many at a time; whoever stops in between closes the cursor. */
export async function* streamBytes(db: Queryable, { text, values }: Sql, atATime: number): AsyncGenerator<Buffer[]> {
  const { client, release } = await db.lease()
  try {
    const cursor = await client.guard(async () =>
      client.queryAsBytes(new BytesCursor(text, values as Value[], { rowMode: 'array', types: asTheyAre })),
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
