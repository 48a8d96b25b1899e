/** The space of the tables derived from the ledger. */
import { connect } from '../../dist/db/connect.js'
import { derivedTables } from '../../dist/ledger/closings.js'

/** @param {import('../run.mjs').Bench} bench @param {string} name of the figure @param {string} url */
export async function measureDerived(bench, name, url) {
  const { db, close } = await connect({ url })
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
