/** Where a pull takes its rows from: a connector's queries on a database, or a folder of spreadsheets. */

import { MillbookError } from '../errors.js'
import type { Source } from '../import/source.js'
import { type Connector, readConnector, SPREADSHEETS } from './connector.js'
import { checkParameters, rowsOf } from './rows.js'
import { readMapping } from './sheets/mapping.js'
import { sheetRows } from './sheets/rows.js'
import { describeUrl, dialectOf, openSource } from './url.js'

export interface Origin {
  /** The name of the connector. */
  readonly name: string
  /** The source in messages, without its password. */
  readonly description: string
  /** Opens a snapshot of the source; throws a `SourceError` if it cannot. */
  open(signal?: AbortSignal): Promise<OpenOrigin>
}

export interface OpenOrigin {
  readonly rows: Source
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
    open: async (signal) => {
      const source = await openSource(url)
      return { rows: rowsOf(connector, source, given, signal), close: () => source.close() }
    },
  }
}

function checkDialect({ name, dialect }: Connector, url: string): void {
  const found = dialectOf(url)
  if (found !== dialect)
    throw new MillbookError(`the connector ${name} has queries for ${dialect}, but the source is ${found}`)
}

/** A folder of spreadsheets with its mapping. */
export function sheetsOrigin(folder: string, mapping: string | undefined): Origin {
  const mappings = readMapping(folder, mapping)
  return {
    name: SPREADSHEETS,
    description: `folder ${folder}`,
    open: async (signal) => ({ rows: sheetRows(folder, mappings, signal), close: async () => {} }),
  }
}
