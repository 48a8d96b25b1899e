/** Measures how much space the tables derived from the ledger take, on the sample company and on thin books. */
import { connect } from '../dist/db/connect.js'
import { derivedTables } from '../dist/ledger/closings.js'
import { company } from './lib/company.mjs'
import { thin } from './lib/extremes.mjs'

/** @param {import('./run.mjs').Bench} bench */
export async function run(bench) {
  await measure(bench, 'derived_bytes_sample', (await company(bench)).url)
  bench.progress('making thin books')
  await measure(bench, 'derived_bytes_thin', await thin(bench))
}

/** @param {import('./run.mjs').Bench} bench @param {string} name @param {string} url */
async function measure(bench, name, url) {
  const { db, close } = await connect({ engine: 'server', url })
  /** @type {{ movements: number, ledger: number, derived: number }[]} */
  const [found] = await db`
    select (select count(*)::int from stock_movement) as movements,
           pg_total_relation_size('stock_movement')::float8 as ledger,
           (select sum(pg_total_relation_size(name::regclass))::float8
              from unnest(${`{${Object.keys(derivedTables)}}`}::text[]) t(name)) as derived`
  await close()
  const { movements, ledger, derived } = found ?? { movements: 0, ledger: 0, derived: 0 }
  bench.figure(name, derived / movements, 'bytes per movement', ledger / movements)
}
