/** `millbook migrate`: creates or updates the schema of a database. */
import type { Command } from 'commander'
import { distribute } from '../db/cluster/distribute.js'
import { connect, type Database } from '../db/connect.js'
import { describeMigrated } from '../db/migrate.js'
import { describeRoles, migrateWithRoles } from '../db/roles.js'
import { type ConnectedService, connectedServices } from '../db/services.js'
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import { databaseTarget } from '../runtime/settings.js'
import type { SqlAccess, SqlAccessEnded } from '../surfaces/sql/access.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { refreshAccess, tell } from './database.js'
import { counted } from './print.js'

export const migrateCommand = (): Command =>
  withExamples(
    databaseCommand('migrate', 'create the tables of a new database, or update the tables of an older version')
      .option('--distribute', 'then distribute the tables over the nodes of the Citus cluster of the database', false)
      .option(
        '--sql-access',
        'then let Metabase, Superset, Grafana, Power BI and psql read reports with SQL, with roles of their own',
      )
      .option('--no-sql-access', 'end that: drop its schemas and its roles')
      .addHelpText(
        'after',
        '\nA migration cannot be undone: make a backup first. docs/scaling.md says how to set up a cluster, docs/sql.md what SQL access shows.',
      )
      .action(run),
    'millbook migrate',
    'millbook migrate --json',
    'millbook migrate --no-sql-access',
  )

/** `sqlAccess` is undefined without either option. */
type Options = Json & { distribute: boolean; sqlAccess?: boolean }

async function run({ json, ...asked }: Options, command: Command): Promise<void> {
  const database = await connect(databaseTarget(command))
  try {
    if (asked.sqlAccess) refuseSqlAccess(database, asked)
    const services = await connectedServices(database.db)
    let access: SqlAccess | SqlAccessEnded | undefined
    const { roles, ...migrated } = await migrateWithRoles(database, entities, async (tx) => {
      if (asked.sqlAccess === undefined) {
        access = await refreshAccess(tx)
        if (access !== undefined && asked.distribute)
          throw new MillbookError(`${NOT_ON_CLUSTERS}: run millbook migrate --no-sql-access first`)
      } else {
        const { turnOff, turnOn } = await import('../surfaces/sql/access.js')
        const { reports } = await import('../reports/index.js')
        access = asked.sqlAccess ? await turnOn(tx, reports) : await turnOff(tx)
      }
    })
    const over = asked.distribute ? await distribute(database) : undefined
    // Grants the rights to the tables that are new.
    if (over?.distributed) await migrateWithRoles(database, entities)
    if (json) {
      const made = migrated.applied.map(({ number, name }) => ({ number, name }))
      console.log(
        JSON.stringify({
          schema: migrated.to,
          applied: made,
          services,
          ...(over && { over }),
          ...(roles && { roles }),
          ...(access && { sql_access: access }),
        }),
      )
      return
    }
    console.log(`${database.description}: ${describeMigrated(migrated)}`)
    if (over)
      console.log(`${over.distributed ? 'distributed' : 'already distributed'} over ${over.workers} worker nodes`)
    for (const service of services) console.log(describeService(service, migrated.from !== migrated.to))
    if (roles?.problem !== undefined) tell(roles.problem)
    else if (roles) console.log(describeRoles(roles))
    if (access !== undefined) describeAccess(access)
  } finally {
    await database.close()
  }
}

const NOT_ON_CLUSTERS =
  'SQL access is not offered on a cluster, whose nodes cannot run functions that read distributed tables'

function refuseSqlAccess({ engine }: Database, { distribute: wanted }: Options): void {
  if (engine.name === 'embedded')
    throw new MillbookError(
      'SQL access needs a PostgreSQL server: the embedded database has one session, no roles and no port; docs/sql.md says how to move to a server',
    )
  if (engine.name === 'cluster' || wanted) throw new MillbookError(`${NOT_ON_CLUSTERS}: use OData (docs/odata.md)`)
}

function describeAccess(access: SqlAccess | SqlAccessEnded): void {
  if (!('ended' in access))
    console.log(
      `SQL access: ${access.reader} reads ${access.functions} functions and ${access.views} views, ${access.contacts} also contact data; docs/sql.md has the next steps`,
    )
  else console.log(access.ended ? 'SQL access has ended' : 'SQL access is off')
  if (access.problem !== undefined) tell(access.problem)
}

function describeService({ service, address, connections }: ConnectedService, refuses: boolean): string {
  const who = `${service}${address === null ? '' : ` from ${address}`} is connected (${counted(connections, 'connection')})`
  return refuses ? `${who}: it answers 503 from now on, until a service of this version takes its place` : who
}
