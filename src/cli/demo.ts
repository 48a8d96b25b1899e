/** `millbook demo`, which is also `npm start`: the service with a sample company, a client and a user, on one command. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { databaseTarget, serveConfig, withOptions } from '../config.js'
import type { Db } from '../db/connect.js'
import { loadSample } from '../demo/sample.js'
import { MillbookError } from '../errors.js'
import { authenticateClient, authenticateUser, createClient, createUser } from '../oauth/access.js'
import { newSecret } from '../oauth/secrets.js'
import { openDatabase, tell } from './database.js'
import { listen } from './listen.js'

interface Credentials {
  client_id: string
  client_secret: string
  username: string
  password: string
}

export const demoCommand = (): Command => {
  const command = withOptions(new Command('demo'), 'data', 'port', 'host', 'trustedProxies', 'logLevel', 'json')
  return command
    .description('run the service with a sample company on the embedded database, and print how to call it')
    .action(async (options: { json?: boolean; logLevel: string }, command: Command) => {
      const target = databaseTarget(command)
      if (target.engine !== 'embedded') throw new MillbookError('the demo runs on the embedded database: use --data')
      const config = serveConfig(command)
      tell(`opening the embedded database in ${target.directory} (some seconds the first time)`)
      const database = await openDatabase(command)
      const today = new Date().toISOString().slice(0, 10)
      if (await loadSample(database.db, today)) tell('loaded the sample company')
      const credentials = await demoCredentials(database.db, target.directory)
      const quiet = command.getOptionValueSource('logLevel') === 'default' ? 'warn' : config.logLevel
      const base_url = await listen(database, { ...config, logLevel: quiet })
      console.log(options.json ? JSON.stringify({ base_url, ...credentials }) : welcome(base_url, credentials, today))
    })
}

/**
 * The same client and user at every start. Their secrets are kept beside the demo's data, readable by its owner only,
 * because the database knows hashes alone; a service for real use has no such file.
 */
async function demoCredentials(db: Db, directory: string): Promise<Credentials> {
  const file = join(directory, 'demo-credentials.json')
  return await db.begin(async (tx) => {
    await tx`select from data_version for update` // two demos at once: the second finds what the first made
    try {
      const saved = JSON.parse(readFileSync(file, 'utf8')) as Credentials
      const client = await authenticateClient(tx, saved.client_id, saved.client_secret)
      if (client !== undefined && (await authenticateUser(tx, saved.username, saved.password))) return saved
    } catch {
      // none yet: they are made
    }
    const name = `demo-${newSecret().slice(0, 6)}`
    const password = newSecret().slice(0, 24)
    const client = await createClient(tx, { name, groups: null, hideContacts: false })
    await createUser(tx, name, password)
    const made = { client_id: client.clientId, client_secret: client.clientSecret, username: name, password }
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
    return made
  })
}

const welcome = (url: string, credentials: Credentials, today: string): string => {
  const json = `-H 'Content-Type: application/json'`
  const grant = JSON.stringify({ grant_type: 'password', ...credentials })
  const range = JSON.stringify({ type: 'FG', tax: 0, from_date: `${today.slice(0, 7)}-01`, to_date: today })
  return `
Millbook is running at ${url}

  API reference  ${url}/docs
  client_id      ${credentials.client_id}
  client_secret  ${credentials.client_secret}
  username       ${credentials.username}
  password       ${credentials.password}

A first call, to paste into another terminal:

TOKEN=$(curl -s ${url}/oauth2/token ${json} -d '${grant}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s ${url}/v1/inventory/fg-stock-status -H "Authorization: Bearer $TOKEN" ${json} -d '${range}'

Stop it with Ctrl-C; the data stays.`
}
