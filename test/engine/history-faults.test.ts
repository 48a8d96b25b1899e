/** Readers of reports as known while loads change every row, some are killed, and the past is forgotten: no answer mixes versions. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { Random } from '../../src/demo/random.js'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { folderOf } from '../setup/files.js'
import { KEY } from '../setup/good-files.js'
import { start } from '../setup/program.js'
import { startService } from '../setup/service.js'
import { only, runs } from '../setup/tier.js'

const ANSWERS = runs(300, 10_000)
const KILLS = runs(2, 60)
const READERS = 4
/** So many versions are kept. */
const KEPT = 4
/** Every failure prints the seed. */
const SEED = Number(process.env['MILLBOOK_SEED'] ?? 42)
const ITEMS = 20
const MOVEMENTS = 400

const rows = (many: number, row: (i: number) => string) =>
  Array.from({ length: many }, (_, i) => `${row(i)}\n`).join('')

/** Every round changes the name of every item, and the quantity of every movement to its number. */
const files = (round: number) =>
  folderOf({
    'warehouses.csv': `key,location\n${KEY},Plant\n`,
    'items.csv': `sku,name,type,unit\n${rows(ITEMS, (i) => `FG${i},round ${round},FG,PCS`)}`,
    'stock_movements.csv': `movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\n${rows(
      MOVEMENTS,
      (i) => `M${i},2024-0${1 + (i % 9)}-15,other_receipt,FG${i % ITEMS},Plant,${round},2,3`,
    )}`,
  })

only('server', 'the embedded engine gives its database to one process at a time').it(
  `no answer as known mixes versions while loads run, are killed and forgotten (${ANSWERS} answers, ${KILLS} kills)`,
  async () => {
    const random = new Random(SEED)
    const service = await startService()
    const { db, target } = service.database
    const flags = ['--database', (target as { url: string }).url]
    expect(await load(service.database, findFiles(files(1)))).toMatchObject({ committed: true })
    /** The round of each version. */
    const rounds = new Map<number, number>()
    const seen = { answers: 0, earlier: 0, gone: 0, loaded: 0, killed: 0, forgotten: 0 }
    const isOver = () => seen.answers >= ANSWERS && seen.killed >= KILLS && seen.forgotten > 0
    const about = `seed ${SEED}`
    const state = async () => {
      const [row] = await db<{ version: number; oldest: number; names: string[] }[]>`
        select version::int, h.oldest::int, (select to_json(array_agg(distinct name)) from item) as names
          from data_version cross join history h`
      return row as NonNullable<typeof row>
    }

    const note = (version: number, name: string) => {
      const round = Number(/^round (\d+)$/.exec(name)?.[1])
      expect([about, version, rounds.get(version) ?? round]).toEqual([about, version, round])
      rounds.set(version, round)
      return round
    }
    const read = async () => {
      while (!isOver()) {
        const { version, oldest } = await state()
        const asked = random.int(Math.max(oldest - 1, 1), version)
        const day = String(random.int(1, 28)).padStart(2, '0') // another request each time, so that it is computed
        const answer = await service.call({
          path: '/v1/inventory/fg-stock-status',
          body: { type: 'FG', tax: 0, from_date: `2024-03-${day}`, to_date: '2024-12-31' },
          query: { as_known: asked },
        })
        if (answer.statusCode === 410) {
          expect(asked, about).toBeLessThan((await state()).oldest)
          seen.gone++
          continue
        }
        expect([about, answer.statusCode, answer.headers['x-data-version']]).toEqual([about, 200, String(asked)])
        const data = answer.json().data as Record<string, string>[]
        const found = new Set(data.map(({ product_name = '', Closing_qty = '' }) => `${product_name} ${Closing_qty}`))
        const round = note(asked, data[0]?.['product_name'] ?? '')
        expect([about, data.length, [...found]]).toEqual([
          ...[about, ITEMS],
          [`round ${round} ${((MOVEMENTS / ITEMS) * round).toFixed(4)}`],
        ])
        seen.answers++
        if (asked < version) seen.earlier++
      }
    }
    const write = async () => {
      for (let round = 2; !isOver(); round++) {
        const folder = files(round)
        if (round % 4 !== 0) {
          expect(await load(service.database, findFiles(folder))).toMatchObject({ committed: true })
          seen.loaded++
        } else {
          const { process: loader, ended } = start(['import', folder, ...flags])
          await Promise.race([ended, sleep(random.int(300, 2500))])
          loader.kill('SIGKILL')
          await ended
          seen.killed++
        }
        const { version, names } = await state()
        expect([about, names.length]).toEqual([about, 1])
        note(version, names[0] as string)
      }
    }
    const forget = async () => {
      while (!isOver()) {
        const [one] = await db<{ rows: number }[]>`
          select forget_history(committed_at, 30) as rows from known_version
           where version = (select version - ${KEPT} from data_version)`
        seen.forgotten += one?.rows ?? 0
        await sleep(5)
      }
    }
    await Promise.all([write(), forget(), ...Array.from({ length: READERS }, read)])
    for (const count of [seen.earlier, seen.gone]) expect([seen, count > 0]).toEqual([seen, true])
    expect(await verify(service.database, { rebuild: false })).toEqual([])
    await service.close()
  },
)
