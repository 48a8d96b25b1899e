/** `millbook profile`: services to read reports from, with the credentials for them. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { checkProfileName, profileNamed, profilesFile, readProfiles, writeProfiles } from '../answers/profiles.js'
import { type AppPassword, type Credentials, Transport } from '../client/transport.js'
import { MillbookError } from '../errors.js'
import { type Json, withExamples, withJson } from './command.js'
import { tell } from './database.js'
import { printTable } from './print.js'

export function profileCommand(): Command {
  const command = new Command('profile').description(
    'save the address and credentials of a service, for millbook report and millbook deliver',
  )
  for (const part of [add, list, test, remove]) command.addCommand(part())
  return command
}

const add = (): Command =>
  withExamples(
    withJson(new Command('add').description('add or replace a profile; asks for the credentials'))
      .argument('<name>', 'a name for the profile')
      .requiredOption('--url <url>', 'the address of the service')
      .option(
        '--stdin',
        'read {"client_id","client_secret","username","password"} or {"app_password"} from stdin and ask nothing',
      )
      .action(async (name: string, { url, stdin, json }: { url: string; stdin?: boolean } & Json) => {
        checkProfileName(name)
        if (!URL.canParse(url) || !/^https?:/.test(url))
          throw new MillbookError(`--url must be an http or https address, not ${url}`)
        const given = stdin ? fromJson(await text(process.stdin)) : await asked()
        writeProfiles({ ...readProfiles(), [name]: { url, ...given } })
        if (json) console.log(JSON.stringify({ profile: name, file: profilesFile() }))
        else
          tell(`added ${name} to ${profilesFile()}, which only you may read; try it with millbook profile test ${name}`)
      }),
    `echo '{"client_id":"c","client_secret":"s"}' | millbook profile add work --url https://reports.example.com --stdin`,
  )

/** Also accepts the credentials that `npm start`, `millbook client create` and `millbook user app-password create` print with `--json`. */
function fromJson(given: string): Credentials | AppPassword {
  let found: Record<string, unknown>
  try {
    found = JSON.parse(given)
  } catch {
    throw new MillbookError(
      'stdin must have one JSON object: {"client_id","client_secret","username","password"} or {"app_password"}',
    )
  }
  const { client_id, client_secret, username, password, app_password } = found as Record<string, string | undefined>
  if (typeof app_password === 'string' && app_password !== '') return { appPassword: app_password }
  if (![client_id, client_secret].every((text) => typeof text === 'string' && text !== ''))
    throw new MillbookError('stdin must have client_id and client_secret, or app_password, as strings')
  return {
    clientId: String(client_id),
    clientSecret: String(client_secret),
    ...(username && password && { username, password }),
  }
}

async function asked(): Promise<Credentials | AppPassword> {
  if (!process.stdin.isTTY) throw new MillbookError('there is no terminal to ask on: give the credentials with --stdin')
  let hides = false
  const output = new Writable({
    write(piece, _encoding, done) {
      if (!hides) process.stderr.write(piece)
      done()
    },
  })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  const ask = async (question: string, hidden: boolean) => {
    process.stderr.write(question)
    hides = hidden
    const answer = await terminal.question('')
    hides = false
    if (hidden) process.stderr.write('\n')
    return answer.trim()
  }
  try {
    const clientId = await ask('client_id (empty for an app password): ', false)
    if (clientId === '') return { appPassword: await ask('app password (not shown): ', true) }
    const clientSecret = await ask('client_secret (not shown): ', true)
    const username = await ask('username (empty if the client signs in without a user): ', false)
    const password = username === '' ? '' : await ask('password (not shown): ', true)
    return { clientId, clientSecret, ...(username !== '' && { username, password }) }
  } finally {
    terminal.close()
  }
}

const list = (): Command =>
  withExamples(
    withJson(new Command('list').description('list the profiles, without their secrets')).action(({ json }: Json) => {
      const profiles = Object.entries(readProfiles()).map(([name, { url, ...auth }]) => ({
        ...{ name, url },
        ...('appPassword' in auth
          ? { client_id: '', username: '', app_password: true }
          : { client_id: auth.clientId, username: auth.username ?? '', app_password: false }),
      }))
      if (json) console.log(JSON.stringify({ profiles }))
      else if (profiles.length === 0) console.log('there is no profile yet: add one with millbook profile add')
      else
        printTable(
          ['name', 'url', 'client_id', 'username'],
          profiles.map(({ app_password, client_id, ...profile }) => [
            ...[profile.name, profile.url, app_password ? 'an app password' : client_id, profile.username],
          ]),
        )
    }),
    'millbook profile list',
  )

const test = (): Command =>
  withExamples(
    withJson(new Command('test').description('sign in with a profile, and print the version of the data'))
      .argument('<name>', 'the name of the profile')
      .action(async (name: string, { json }: Json) => {
        const { url, ...auth } = profileNamed(name)
        const transport = new Transport({ url, auth, retries: 1 })
        const version = await transport
          .call(
            { method: 'GET', path: '/v1/warehouse/warehouse-list', query: { page: 1, 'per-page': 1 } },
            async (response) => response.headers.get('x-data-version'),
          )
          .catch((error) => {
            // 403: the client may not read masters, but it has signed in.
            if (error.status === 403) return null
            throw new MillbookError(`${url}: ${error.message}${error.cause?.code ? ` (${error.cause.code})` : ''}`)
          })
        if (json)
          console.log(JSON.stringify({ profile: name, url, version: version === null ? null : Number(version) }))
        else console.log(`signed in at ${url}${version === null ? '' : `, version ${version} of the data`}`)
      }),
    'millbook profile test work || true',
  )

const remove = (): Command =>
  withExamples(
    withJson(new Command('remove').description('remove a profile and its secrets'))
      .argument('<name>', 'the name of the profile')
      .action((name: string, { json }: Json) => {
        profileNamed(name)
        const { [name]: _, ...others } = readProfiles()
        writeProfiles(others)
        if (json) console.log(JSON.stringify({ removed: name }))
        else tell(`removed ${name}`)
      }),
    'millbook profile remove work',
  )
