/** `millbook serve`: the service. */
import { Command } from 'commander'
import { databaseTarget, printableConfig, serveConfig, serving, withOptions } from '../runtime/settings.js'
import { openDatabase, tell } from './database.js'

export const serveCommand = (): Command =>
  withOptions(new Command('serve'), 'database', 'data', ...serving, 'workers', 'json', 'printConfig')
    .description('run the service')
    .action(async (options: { json?: boolean; printConfig?: boolean }, command: Command) => {
      if (options.printConfig) {
        console.log(JSON.stringify(printableConfig(command), null, 2))
        return
      }
      const config = serveConfig(command)
      const database = await openDatabase(command)
      const { listen } = await import('../runtime/start.js') // what serves takes half a second to load: other commands do not
      const { baseUrl, reach } = await listen(database, databaseTarget(command), config)
      if (options.json) console.log(JSON.stringify({ base_url: baseUrl }))
      else tell(`Millbook serves ${baseUrl} from the ${database.description}; API reference: ${baseUrl}/docs\n${reach}`)
    })
