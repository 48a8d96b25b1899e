/** `millbook demo`, which is also `npm start`: the service with a sample company, a client and a user, on one command. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { createClient } from '../access/clients.js'
import { newSecret } from '../access/secrets.js'
import { checkClient, checkUser } from '../access/sign-in.js'
import { createUser } from '../access/users.js'
import { type Db, lockLoads } from '../db/connect.js'
import { writeFiles } from '../demo/files.js'
import { hasNoData, loadSample, type SampleOptions, sampleCompany } from '../demo/sample.js'
import { MillbookError } from '../errors.js'
import { databaseTarget, serveConfig, serving, withOptions } from '../runtime/settings.js'
import type { Listening } from '../runtime/start.js'
import { openDatabase, tell } from './database.js'
import { progressBar } from './progress.js'

interface Options {
  json?: boolean
  logLevel: string
  scale: number
  months: number
  seed: number
  files?: string
}

interface Credentials {
  client_id: string
  client_secret: string
  username: string
  password: string
}

export const demoCommand = (): Command => {
  const command = withOptions(new Command('demo'), 'data', ...serving, 'demoWorkers', 'json')
  return command
    .description('run the service with a sample company on the embedded database, and print how to call it')
    .option('--scale <n>', 'size of the sample: 1 is about 60 products and 60,000 movements', size, 1)
    .option('--months <n>', 'how many months of history it has', whole, 18)
    .option('--seed <n>', 'the same seed makes the same company', whole, 1)
    .option('--files <dir>', 'write the sample as import files into this folder, and stop')
    .action(async (options: Options, command: Command) => {
      const { scale, months, seed } = options
      const sample = { today: todayThere(), scale, months, seed }
      if (options.files !== undefined) {
        await writeSample(options.files, sample, options.json ?? false)
        return
      }
      const target = databaseTarget(command)
      if (target.engine !== 'embedded') throw new MillbookError('the demo runs on the embedded database: use --data')
      const config = serveConfig(command)
      tell(`opening the embedded database in ${target.directory} (some seconds the first time)`)
      const release = await lockLoads(target, () => tell('waiting for another load to end'))
      const database = await openDatabase(command)
      try {
        if (await hasNoData(database.db)) {
          tell('making the sample company: some seconds, and more the larger it is')
          const bar = progressBar('making the sample company')
          const { rows } = await loadSample(database, sample, bar.show)
          bar.end()
          tell(`loaded the sample company: ${rows.toLocaleString('en')} rows`)
        } else if (['scale', 'months', 'seed'].some((name) => command.getOptionValueSource(name) === 'cli'))
          tell('there is data already: --scale, --months and --seed change nothing; name another --data directory')
      } finally {
        await release()
      }
      const credentials = await demoCredentials(database.db, target.directory)
      const quiet = command.getOptionValueSource('logLevel') === 'default' ? 'warn' : config.logLevel
      const { listen } = await import('../runtime/start.js') // as in serve.ts
      const listening = await listen(database, target, { ...config, logLevel: quiet })
      console.log(
        options.json
          ? JSON.stringify({ base_url: listening.baseUrl, ...credentials })
          : welcome(listening, credentials, sample.today),
      )
    })
}

const size = (text: string): number => {
  const n = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || n < 0.1 || n > 2000)
    throw new InvalidArgumentError('It must be a number from 0.1 to 2000.')
  return n
}
const whole = (text: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999.')
  return Number(text)
}

/** Today where the sample company is. */
const todayThere = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format()

async function writeSample(folder: string, sample: SampleOptions, json: boolean): Promise<void> {
  const bar = progressBar('making the sample company')
  const files = await writeFiles(sampleCompany(sample), folder, bar.show)
  bar.end()
  const rows = Object.values(files).reduce((sum, n) => sum + n, 0)
  if (json) console.log(JSON.stringify({ folder, rows, files }))
  else console.log(`wrote ${rows} rows to ${folder}; load them with: millbook import ${folder} --data DIR`)
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
      const client = await checkClient(tx, saved.client_id, saved.client_secret)
      if (client !== undefined && (await checkUser(tx, saved.username, saved.password)) !== undefined) return saved
    } catch {
      // none yet: they are made
    }
    const name = `demo-${newSecret().slice(0, 6)}`
    const password = newSecret().slice(0, 24)
    const client = await createClient(tx, { name })
    await createUser(tx, name, password)
    const made = { client_id: client.clientId, client_secret: client.clientSecret, username: name, password }
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
    return made
  })
}

const welcome = ({ baseUrl: url, reach }: Listening, credentials: Credentials, today: string): string => {
  const json = `-H 'Content-Type: application/json'`
  const grant = JSON.stringify({ grant_type: 'password', ...credentials })
  const range = JSON.stringify({ type: 'FG', tax: 0, from_date: `${today.slice(0, 7)}-01`, to_date: today })
  return `
Millbook is running at ${url}
${reach}

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
