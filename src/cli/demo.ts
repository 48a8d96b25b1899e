/** `millbook demo`, which is also `npm start`: the service with a sample company, a client and a user. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { createClient, type Grant, updateClient } from '../access/clients.js'
import { newSecret } from '../access/secrets.js'
import { newTicket } from '../access/sessions.js'
import { checkClient, checkUser } from '../access/sign-in.js'
import { createUser, updateUser } from '../access/users.js'
import { type Db, lockLoads } from '../db/connect.js'
import { writeFiles } from '../demo/files.js'
import { hasNoData, loadSample, type SampleOptions, sampleCompany } from '../demo/sample.js'
import { wholeNumber } from '../runtime/parse.js'
import { addSettings, databaseSettings, databaseTarget, readServeSettings, serveSettings } from '../runtime/settings.js'
import type { Listening } from '../runtime/start.js'
import { type Json, withExamples, withJson } from './command.js'
import { openDatabase, tell } from './database.js'
import { progressBar } from './progress.js'
import { linkTo } from './user.js'

interface Options extends Json {
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
  const command = new Command('demo').description(
    'run the service with a sample company on the embedded database, and print how to call it',
  )
  addSettings(command, { data: databaseSettings.data })
  addSettings(command, serveSettings, { workers: 1, metricsPort: 'off', logLevel: 'warn' })
  return withExamples(
    withJson(command)
      .option('--scale <n>', 'size of the sample: 1 is about 60 products and 60,000 movements', size, 1)
      .option('--months <n>', 'months of history in the sample', wholeNumber(1, 9999), 18)
      .option('--seed <n>', 'seed of the random sample: the same seed gives the same company', wholeNumber(1, 9999), 1)
      .option('--files <dir>', 'write the sample as import files into this directory, and stop')
      .action(run),
    'millbook demo --port 9000 --data trial --scale 0.2 --months 3',
    'millbook demo --files books/ --scale 0.2 --months 3',
  )
}

async function run(options: Options, command: Command): Promise<void> {
  const { scale, months, seed } = options
  const sample = { today: todayThere(), scale, months, seed }
  if (options.files !== undefined) {
    await writeSample(options.files, sample, options.json ?? false)
    return
  }
  const target = databaseTarget(command)
  if ('url' in target) return command.error('the demo runs on the embedded database: use --data DIR')
  const settings = readServeSettings(command)
  tell(`opening the embedded database in ${target.directory} (this takes some seconds the first time)`)
  const release = await lockLoads(target, () => tell('waiting for another load to end'))
  const [database, { listen }] = await Promise.all([
    openDatabase(command, { create: true }),
    import('../runtime/start.js'), // as in serve.ts
  ])
  try {
    if (await hasNoData(database.db)) {
      tell('making the sample company: some seconds at --scale 1, longer for a larger one')
      const bar = progressBar('making the sample company')
      const { rows } = await loadSample(database, sample, bar.show)
      bar.end()
      tell(`loaded the sample company: ${rows.toLocaleString('en')} rows`)
    } else if (['scale', 'months', 'seed'].some((name) => command.getOptionValueSource(name) === 'cli'))
      tell('the database already has data, so --scale, --months and --seed are ignored: name another --data directory')
  } finally {
    await release()
  }
  const credentials = await demoCredentials(database.db, target.directory)
  const listening = await listen(Promise.resolve(database), target, settings)
  if (options.json) {
    console.log(JSON.stringify({ base_url: listening.baseUrl, ...credentials }))
    return
  }
  const ticket = await database.db.begin((tx) => newTicket(tx, credentials.username))
  console.log(welcome(listening, credentials, linkTo(listening.baseUrl, ticket), sample.today))
}

const DEMO_GRANTS: Grant[] = ['password', 'refresh_token', 'client_credentials']

function size(text: string): number {
  const n = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || n < 0.1 || n > 2000)
    throw new InvalidArgumentError('It must be a number from 0.1 to 2000.')
  return n
}

/** Today where the sample company is. */
const todayThere = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Kolkata' }).format(new Date())

async function writeSample(folder: string, sample: SampleOptions, json: boolean): Promise<void> {
  const bar = progressBar('making the sample company')
  const files = await writeFiles(sampleCompany(sample), folder, bar.show)
  bar.end()
  const rows = Object.values(files).reduce((sum, n) => sum + n, 0)
  if (json) console.log(JSON.stringify({ folder, rows, files }))
  else console.log(`wrote ${rows} rows to ${folder}; load them with: millbook import ${folder} --data DIR`)
}

/**
 * The same client and user at every start. The database has only hashes of their secrets, so the demo keeps the secrets
 * in a file beside its data that only its owner can read; a service for real use has no such file.
 */
async function demoCredentials(db: Db, directory: string): Promise<Credentials> {
  const file = join(directory, 'demo-credentials.json')
  return await db.begin(async (tx) => {
    await tx`select from data_version for update` // of two demos that start together, the second finds the first's file
    const saved = readCredentials(file)
    if (saved !== undefined) {
      const client = await checkClient(tx, saved.client_id, saved.client_secret)
      const user = await checkUser(tx, saved.username, saved.password)
      if (client !== undefined && user !== undefined) {
        await updateClient(tx, client.clientId, { grants: DEMO_GRANTS }) // demos of 0.1.0 lack client_credentials
        await updateUser(tx, saved.username, { role: 'operator' })
        return saved
      }
    }
    const name = `demo-${newSecret().slice(0, 6)}`
    const password = newSecret().slice(0, 24)
    const client = await createClient(tx, { name, grants: DEMO_GRANTS })
    await createUser(tx, name, password, { role: 'operator' })
    const made = { client_id: client.clientId, client_secret: client.clientSecret, username: name, password }
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
    return made
  })
}

function readCredentials(file: string): Credentials | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials
  } catch {
    return undefined // the first start, or a damaged file: the demo makes new credentials
  }
}

const welcome = (
  { baseUrl: url, reach }: Listening,
  credentials: Credentials,
  consoleLink: string,
  today: string,
): string => {
  const json = `-H 'Content-Type: application/json'`
  const grant = JSON.stringify({ grant_type: 'password', ...credentials })
  const range = JSON.stringify({ type: 'FG', tax: 0, from_date: `${today.slice(0, 7)}-01`, to_date: today })
  return `
Millbook is running at ${url}
${reach}

  Console        ${consoleLink}
  API reference  ${url}/docs
  client_id      ${credentials.client_id}
  client_secret  ${credentials.client_secret}
  username       ${credentials.username}
  password       ${credentials.password}

The console opens signed in, once and within an hour, in a browser on this machine; later, sign in with the username and password.
The client may also use grant_type "client_credentials", without username and password.
A first call, to paste into another terminal:

TOKEN=$(curl -s ${url}/oauth2/token ${json} -d '${grant}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -s ${url}/v1/inventory/fg-stock-status -H "Authorization: Bearer $TOKEN" ${json} -d '${range}'

Stop it with Ctrl-C; the data stays.`
}
