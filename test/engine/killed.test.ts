/** Kills connections at random moments of loads and reports while a service runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { connect } from '../../src/db/connect.js'
import { Random } from '../../src/demo/random.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { folderOf } from '../setup/files.js'
import { KEY } from '../setup/good-files.js'
import { startService } from '../setup/service.js'
import { only, runs } from '../setup/tier.js'

const KILLS = runs(3, 60)
/** Every failure prints the seed. */
const SEED = Number(process.env['MILLBOOK_SEED'] ?? 14)

const ITEMS = 40
/** Enough rows that the loader copies instead of inserting them. */
const MOVEMENTS = 700

/** Every item gets a new name and movements. */
const files = (round: number) =>
  folderOf({
    'warehouses.csv': `key,location\n${KEY},Plant\n`,
    'items.csv': `sku,name,type,unit\n${rows(ITEMS, (i) => `FG${i},round ${round},FG,PCS`)}`,
    'stock_movements.csv': `movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\n${rows(
      MOVEMENTS,
      (i) => `M${round}-${i},2024-0${1 + (i % 9)}-15,other_receipt,FG${i % ITEMS},Plant,1,2,3`,
    )}`,
  })
const rows = (many: number, row: (i: number) => string) =>
  Array.from({ length: many }, (_, i) => `${row(i)}\n`).join('')

const between = (random: Random) => ({
  from_date: new Date(Date.UTC(2024, 0, random.int(1, 366))).toISOString().slice(0, 10),
  to_date: new Date(Date.UTC(2025, 0, random.int(1, 365))).toISOString().slice(0, 10),
})

only('server', 'the embedded engine has no connection that could be killed').it(
  `no statement of a killed transaction takes effect, and the service stays up (${KILLS} kills)`,
  async () => {
    const random = new Random(SEED)
    const service = await startService()
    const { target } = service.database
    const killer = await connect({
      ...target,
      url: `${(target as { url: string }).url}?application_name=killer`,
    } as typeof target)
    const kill = (share: number) => killer.db`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'millbook' and random() < ${share}`
    const state = async () => {
      const [row] = await killer.db<{ version: number; names: string[]; movements: number }[]>`
        select version::int, (select to_json(array_agg(distinct name)) from item) as names,
               (select count(*)::int from stock_movement) as movements from data_version`
      return row as NonNullable<typeof row>
    }
    const ask = async (path: string, body: object, query: Record<string, number> = {}) => {
      const answer = await service.call({ path, body, query })
      expect([200, 503]).toContain(answer.statusCode)
      return answer.statusCode === 200 ? (answer.json().data as Record<string, unknown>[]) : undefined
    }

    expect(await load(service.database, findFiles(files(0)))).toMatchObject({ committed: true })
    let before = await state()
    let took = 200
    const seen = { committed: 0, refused: 0, unknown: 0, answered: 0, unanswered: 0 }
    // Chance decides what a kill hits: a few more, until one has hit a load and one a request.
    const missed = () => seen.refused === 0 || seen.unanswered === 0
    for (let round = 1; round <= KILLS || (missed() && round <= 20 * KILLS); round++) {
      const about = `seed ${SEED}, round ${round}`
      const folder = findFiles(files(round))
      const loader = await connect(target)
      const started = performance.now()
      const loading = load(loader, folder).then(
        ({ committed }) => committed,
        () => undefined,
      )
      let over = false
      // Each caller sends new requests, so that the service computes them.
      const callers = [
        () => ask('/v1/partner/fg-item-master', {}, { page: 1, 'per-page': random.int(1, 5000) }),
        () => ask('/v1/inventory/fg-stock-status', { type: 'FG', tax: 0, ...between(random) }),
        () => ask('/v1/inventory/fg-stock-status', { type: 'ALL', tax: 1, ...between(random) }, { page: 1 }),
      ].map(async (call) => {
        while (!over) {
          const data = await call()
          seen[data === undefined ? 'unanswered' : 'answered']++
          const names = new Set((data ?? []).map((record) => record['product_name']))
          expect(names.size, about).toBeLessThanOrEqual(1) // one version of the data
          await sleep(5)
        }
      })
      await sleep(random.int(0, Math.ceil(took * 1.1)))
      await kill(random.int(0, 1) === 0 ? 1 : 0.5)
      const committed = await loading
      if (committed) took = performance.now() - started
      over = true
      await Promise.all(callers)
      await loader.close()
      const after = await state()
      if (committed === undefined) seen[after.version === before.version ? 'refused' : 'unknown']++
      else seen.committed++
      // A load is stored whole or not at all, and always with a new version.
      const { version, movements } = before
      const loaded = { version: version + 1, names: [`round ${round}`], movements: movements + MOVEMENTS }
      expect(after, about).toEqual(committed || after.version !== version ? loaded : before)
      before = after
    }
    expect(seen.refused, JSON.stringify(seen)).toBeGreaterThan(0)
    expect(seen.unanswered, JSON.stringify(seen)).toBeGreaterThan(0)
    const wrong = (await verify(killer, { rebuild: false })).filter(({ kind }) => kind !== 'disagreement')
    expect(wrong).toEqual([])
    await expect.poll(async () => (await service.call({ path: '/readyz', token: null })).statusCode).toBe(200)
    const names = (await ask('/v1/partner/fg-item-master', {}, { 'per-page': 5000 }))?.map(
      (record) => record['product_name'],
    )
    expect(names).toEqual(Array(ITEMS).fill(before.names[0]))
    const [open] = await killer.db<{ n: number }[]>`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
    expect(open?.n).toBe(0)
    await killer.close()
    await service.close()
  },
)
