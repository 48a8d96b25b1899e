/** `millbook serve`: the service. */
import type { Command } from 'commander'
import {
  addSettings,
  databaseTarget,
  limitsOf,
  printableSettings,
  readServeSettings,
  serveSettings,
} from '../runtime/settings.js'
import { CONNECTIONS_OF_FIRST } from '../runtime/shares.js'
import { waitForDatabase } from '../runtime/start-wait.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { openDatabase, tell } from './database.js'

export const serveCommand = (): Command =>
  withExamples(
    addSettings(databaseCommand('serve', 'run the service'), serveSettings)
      .option('--print-config', 'print the settings in force, without secrets, and stop')
      .addHelpText(
        'after',
        '\nSIGTERM and SIGINT stop the service after its running requests; SIGHUP replaces its workers.',
      )
      .action(run),
    'millbook serve --port 9000',
    'MILLBOOK_LOG_LEVEL=warn millbook serve --trusted-proxies 127.0.0.1',
    'millbook serve --print-config',
  )

async function run({ json, printConfig }: Json & { printConfig?: boolean }, command: Command): Promise<void> {
  if (printConfig) {
    console.log(JSON.stringify(printableSettings(command), null, 2))
    return
  }
  const settings = readServeSettings(command)
  const open = () =>
    openDatabase(command, {
      ...{ create: true, limits: limitsOf(settings) },
      ...(settings.workers > 1 && CONNECTIONS_OF_FIRST),
    })
  const opened = waitForDatabase(settings, open)
  opened.catch(() => {}) // listen() gets the error
  const { listen } = await import('../runtime/start.js') // takes half a second to import; other commands do not need it
  const { baseUrl, reach, metrics, description } = await listen(opened, databaseTarget(command), settings)
  if (json) console.log(JSON.stringify({ base_url: baseUrl, ...(metrics && { metrics_url: metrics }) }))
  else {
    tell(`Millbook serves ${baseUrl} from the ${description}; API reference: ${baseUrl}/docs\n${reach}`)
    if (metrics !== undefined) tell(`Metrics for Prometheus: ${metrics}`)
  }
}
