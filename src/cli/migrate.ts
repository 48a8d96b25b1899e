/** `millbook migrate`: creates or updates the schema of a database. */
import type { Command } from 'commander'
import { distribute } from '../db/cluster/distribute.js'
import { connect } from '../db/connect.js'
import { describeMigrated } from '../db/migrate.js'
import { describeRoles, migrateWithRoles } from '../db/roles.js'
import { type ConnectedService, connectedServices } from '../db/services.js'
import { entities } from '../import/entities.js'
import { databaseTarget } from '../runtime/settings.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { tell } from './database.js'
import { counted } from './print.js'

export const migrateCommand = (): Command =>
  withExamples(
    databaseCommand('migrate', 'create the tables of a new database, or update the tables of an older version')
      .option('--distribute', 'then distribute the tables over the nodes of the Citus cluster of the database', false)
      .addHelpText(
        'after',
        '\nA migration cannot be undone: make a backup first. docs/scaling.md says how to set up a cluster.',
      )
      .action(run),
    'millbook migrate',
    'millbook migrate --json',
  )

type Options = Json & { distribute: boolean }

async function run({ json, ...asked }: Options, command: Command): Promise<void> {
  const database = await connect(databaseTarget(command))
  try {
    const services = await connectedServices(database.db)
    const { roles, ...migrated } = await migrateWithRoles(database, entities)
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
  } finally {
    await database.close()
  }
}

function describeService({ service, address, connections }: ConnectedService, refuses: boolean): string {
  const who = `${service}${address === null ? '' : ` from ${address}`} is connected (${counted(connections, 'connection')})`
  return refuses ? `${who}: it answers 503 from now on, until a service of this version takes its place` : who
}
