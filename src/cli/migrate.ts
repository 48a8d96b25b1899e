/** `millbook migrate`: brings a database to the schema that this program knows. */
import { Command } from 'commander'
import { databaseTarget, withOptions } from '../config.js'
import { connect } from '../db/connect.js'
import { migrate, migrations } from '../db/migrate.js'

export const migrateCommand = (): Command =>
  withOptions(new Command('migrate'), 'database', 'data', 'json')
    .description('bring a database to the schema that this program knows; forward only')
    .action(async (options: { json?: boolean }, command: Command) => {
      const database = await connect(databaseTarget(command))
      try {
        const applied = await migrate(database.db)
        const schema = migrations.at(-1)?.number ?? 0
        if (options.json) {
          console.log(JSON.stringify({ schema, applied: applied.map(({ number, name }) => ({ number, name })) }))
          return
        }
        for (const { number, name } of applied) console.log(`applied migration ${number}: ${name}`)
        console.log(`${database.description} has schema ${schema}${applied.length === 0 ? ' already' : ''}`)
      } finally {
        await database.close()
      }
    })
