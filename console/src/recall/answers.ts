/** The answers of a recall page: links, batches, parties and events of one trace, all of one version of the data. */
import { allRows } from '../ask.js'
import { type CatalogueReport, type Row, reportOf, type Values } from '../catalogue.js'
import { session } from '../session.js'
import type { Direction } from './genealogy.js'
import { type Start, TRACE, valuesOf } from './start.js'

export interface Traced {
  readonly report: CatalogueReport
  readonly version: number
  readonly links: readonly Row[]
  readonly batches: readonly Row[]
  /** The recall list, and the rows of the sheet for authorities, in the directions whose names the reader may see. */
  readonly parties: readonly Row[]
  readonly events: readonly Row[]
  readonly named: readonly Direction[]
}

/** The directions whose parties the reader may see. */
export function namedDirections(): Direction[] {
  const groups = session.value?.groups ?? null
  const may = (group: string) => groups === null || groups.includes(group)
  return [...(may('sales') ? (['forward'] as const) : []), ...(may('purchase') ? (['backward'] as const) : [])]
}

export const valuesFor = (start: Start, show: string, direction: string): Values => ({
  ...valuesOf(start),
  show,
  direction,
})

/** The value of `direction` that asks for these. */
export const directionOf = (named: readonly Direction[]): string | undefined => (named.length === 2 ? 'both' : named[0])

/** Attempts, if a load arrives between two answers. */
const TRIES = 5

export async function traced(start: Start, signal: AbortSignal): Promise<Traced> {
  const report = reportOf(TRACE)
  if (report === undefined) throw new Error('You may not use the trace. Your operator can give you access to Insight.')
  const named = namedDirections()
  const names = directionOf(named)
  const none = { rows: [] as Row[] }
  for (let attempt = 1; ; attempt++) {
    const ask = (show: string, direction: string) =>
      allRows(report, valuesFor(start, show, direction), {}, { most: 20_000, signal })
    const [links, batches, parties, events] = await Promise.all([
      ask('links', 'both'),
      ask('batches', 'both'),
      names === undefined ? none : ask('parties', names),
      names === undefined ? none : ask('events', names),
    ])
    const versions = [links, batches, parties, events].flatMap((one) => ('version' in one ? [one.version] : []))
    if (new Set(versions).size === 1 || attempt === TRIES)
      return {
        ...{ report, named, version: versions[0] as number },
        ...{ links: links.rows, batches: batches.rows, parties: parties.rows, events: events.rows },
      }
  }
}
