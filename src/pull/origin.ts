/** Where a pull takes its rows from: a connector's queries on a database, or a folder of spreadsheets. */

import type { Database } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import type { Source } from '../import/source.js'
import { type Connector, readConnector, SPREADSHEETS } from './connector.js'
import { checkParameters, rowsOf } from './rows.js'
import type { Account } from './sheets/account.js'
import { readMapping } from './sheets/mapping.js'
import { Masters } from './sheets/masters.js'
import { openSheets } from './sheets/rows.js'
import { describeUrl, dialectOf, openSource } from './url.js'

export interface Origin {
  /** The name of the connector. */
  readonly name: string
  /** The source in messages, without its password. */
  readonly description: string
  /** What the source has and the pull leaves out. */
  readonly leavesOut?: readonly string[]
  /** Opens a snapshot of the source; throws a `SourceError` if it cannot. */
  open(signal?: AbortSignal, database?: Database): Promise<OpenOrigin>
}

export interface OpenOrigin {
  readonly rows: Source
  /** The rows of spreadsheets that were read, used and left out. */
  account?(): Account
  /** Whether stored rows that the source lacks are removed. */
  readonly complete?: boolean
  close(): Promise<void>
}

/** Runs all checks that do not need the source. */
export function databaseOrigin(named: string, url: string, given: Readonly<Record<string, string>>): Origin {
  const connector = readConnector(named)
  checkParameters(connector, given)
  checkDialect(connector, url)
  return {
    name: connector.name,
    description: describeUrl(url),
    leavesOut: connector.leavesOut,
    open: async (signal) => {
      const source = await openSource(url)
      return { rows: rowsOf(connector, source, given, signal, describeUrl(url)), close: () => source.close() }
    },
  }
}

function checkDialect({ name, dialect }: Connector, url: string): void {
  const found = dialectOf(url)
  if (found !== dialect)
    throw new MillbookError(`the connector ${name} has queries for ${dialect}, but the source is ${found}`)
}

/** A folder of spreadsheets with its mapping. */
export function sheetsOrigin(folder: string, named: string | undefined, { strict = false } = {}): Origin {
  const mapping = readMapping(folder, named)
  return {
    name: SPREADSHEETS,
    description: `folder ${folder}`,
    open: async (signal, database) => {
      const masters = database === undefined ? new Masters() : await Masters.stored(database.db)
      const { rows, close } = await openSheets(folder, mapping, { masters, strict, signal })
      return { rows, close, account: () => rows.account(), complete: mapping.complete ?? true }
    },
  }
}
