/** The sample company: 18 months of a snack maker up to a given day, at any size, the same for the same seed. */
import type { Database, Db } from '../db/connect.js'
import { type LoadOptions, type LoadResult, load } from '../import/pipeline/load.js'
import type { Chunk, Source } from '../import/source.js'
import { Calendar } from './calendar.js'
import { makeMasters } from './masters.js'
import { Production } from './production.js'
import { Purchasing } from './purchasing.js'
import { Random } from './random.js'
import { parts, RowBuffer } from './rows.js'
import { Sales } from './sales.js'
import { addStories, Stories } from './stories.js'
import { Warehousing } from './warehousing.js'
import { World } from './world.js'

export interface SampleOptions {
  /** The last day, as YYYY-MM-DD. */
  today: string
  /** 1 is about 60 finished goods and 60,000 movements; both grow with it. */
  scale?: number
  seed?: number
  months?: number
}

/** Rows for the loader, generated on demand. */
export const sampleCompany = (options: SampleOptions): Source => ({
  ...{ name: 'sample company', parts },
  chunks: () => live(options),
})

/** Day by day, so that each event uses the stock of its day. */
async function* live({ today, scale = 1, seed = 1, months = 18 }: SampleOptions): AsyncGenerator<Chunk> {
  const calendar = new Calendar(today, months)
  const random = new Random(seed)
  const rows = new RowBuffer()
  const masters = makeMasters(scale, calendar.last, random, rows.emit)
  addStories(masters, rows.emit)
  const world = new World(masters, scale, calendar, random, rows.emit)
  const warehousing = new Warehousing(world)
  const departments = [new Purchasing(world), new Production(world), warehousing, new Sales(world), new Stories(world)]
  warehousing.open()
  for (; world.day <= calendar.last; world.day++) {
    warehousing.expire()
    world.runAgenda()
    for (const department of departments) department.run()
    yield* rows.take(world.day / (calendar.last + 1))
  }
}

/** Whether nothing has been loaded yet. */
export async function hasNoData(db: Db): Promise<boolean> {
  const [current] = await db`select version::int as version from data_version`
  return current?.version === 0
}

/** The caller holds `lockLoads`. */
export async function loadSample(
  database: Database,
  options: SampleOptions,
  onProgress?: LoadOptions['onProgress'],
): Promise<LoadResult> {
  const result = await load(database, sampleCompany(options), onProgress ? { onProgress } : {})
  if (!result.committed) throw new Error(`the sample does not load: ${JSON.stringify(result.errors.first.slice(0, 3))}`)
  return result
}
