/** `millbook webhook`: the addresses that are told when something happens. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { checkName } from '../access/names.js'
import { retryDeadlocks } from '../db/retry.js'
import { EVENTS, type EventType, KEPT_DAYS } from '../notify/events.js'
import {
  checkUrl,
  createWebhook,
  deleteWebhook,
  deliveryJson,
  enableWebhook,
  findWebhook,
  listDeliveries,
  listWebhooks,
  OVERLAP_SECONDS,
  replay,
  rotateSecret,
  type Webhook,
  webhookJson,
} from '../notify/webhooks.js'
import { list as entriesOf, overlap, pastMoment, wholeNumber } from '../runtime/parse.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { confirm } from './confirm.js'
import { inTransaction, withDatabase } from './database.js'
import { counted, printFacts, printTable, timeOf } from './print.js'

export const webhookCommand = (): Command => {
  const command = new Command('webhook').description('manage the URLs that are told when the data changes')
  for (const part of [create, list, deliveries, replayCommand, rotate, enable, remove]) command.addCommand(part())
  return command
}

/** A command about one webhook. */
const about = (name: string, description: string): Command =>
  databaseCommand(name, description).argument('<webhook>', 'its name or its id')

function events(text: string): EventType[] {
  const names = entriesOf(text)
  const wrong = names.find((name) => !EVENTS.some((event) => event === name))
  if (wrong !== undefined || names.length === 0)
    throw new InvalidArgumentError(`${wrong ?? 'Nothing'} is not an event; there are ${EVENTS.join(', ')}.`)
  return names as EventType[]
}

const factsOf = ({ id, name, url, events, failingSince, disabledAt, disabledWhy, ...more }: Webhook) => ({
  ...{ id, name, url, events: events?.join(', ') ?? 'all' },
  state:
    disabledAt !== null
      ? `disabled since ${timeOf(disabledAt)}: ${disabledWhy}`
      : failingSince !== null
        ? `failing since ${timeOf(failingSince)}`
        : 'active',
  ...{ pending: String(more.pending), failed: String(more.failed), last_delivered: timeOf(more.lastDeliveredAt) },
})

const create = (): Command =>
  withExamples(
    databaseCommand('create', 'create a webhook and print the secret that signs its messages')
      .argument('<name>', 'a name for the webhook')
      .requiredOption('--url <url>', 'where messages are sent: https://…, or http://… for a private address')
      .option('--events <list>', `only these events, separated by commas: ${EVENTS.join(', ')} (default: all)`, events)
      .addHelpText(
        'after',
        '\nMessages follow Standard Webhooks: receivers check them with its libraries and the secret. A private address also needs\nserve --private-webhooks.',
      )
      .action(
        async (name: string, { url, events, json }: { url: string; events?: EventType[] } & Json, command: Command) => {
          checkUsage(command, () => checkName('webhook', name))
          checkUsage(command, () => checkUrl(url))
          const { webhook, secret } = await inTransaction(command, (tx) => createWebhook(tx, { name, url, events }))
          const { id } = webhook
          if (json) console.log(JSON.stringify({ id, name, url, secret, events: webhook.events }))
          else {
            printFacts({ id, name, url, secret, events: factsOf(webhook).events })
            console.log('The secret is not shown again.')
          }
        },
      ),
    'millbook webhook create Warehouse --url https://warehouse.example/millbook --events data.version',
  )

const list = (): Command =>
  withExamples(
    databaseCommand('list', 'list the webhooks: whether they are active, and what waits or has failed').action(
      async ({ json }: Json, command: Command) => {
        const webhooks = await withDatabase(command, (db) => listWebhooks(db))
        const [first] = webhooks
        if (json) console.log(JSON.stringify({ webhooks: webhooks.map(webhookJson) }))
        else if (first === undefined) console.log('there is no webhook yet: create one with millbook webhook create')
        else
          printTable(
            Object.keys(factsOf(first)),
            webhooks.map((webhook) => Object.values(factsOf(webhook))),
          )
      },
    ),
    'millbook webhook list',
  )

const deliveries = (): Command =>
  withExamples(
    about('deliveries', `list the newest messages to a webhook; they are kept for ${KEPT_DAYS} days`)
      .option('--limit <n>', 'the most messages', wholeNumber(1, 1000), 20)
      .action(async (which: string, { limit, json }: { limit: number } & Json, command: Command) => {
        const found = await withDatabase(command, (db) => listDeliveries(db, which, limit))
        if (json) console.log(JSON.stringify({ deliveries: found.map(deliveryJson) }))
        else if (found.length === 0) console.log('nothing has happened since the webhook was created')
        else
          printTable(
            ['id', 'event', 'at', 'state', 'attempts', 'last result', 'next attempt'],
            found.map(({ id, type, at, state, attempts, nextAttemptAt }) => [
              ...[id, type, timeOf(at, 'second'), state, String(attempts.length)],
              attempts.at(-1)?.error ?? String(attempts.at(-1)?.status ?? '-'),
              timeOf(nextAttemptAt, 'second'),
            ]),
          )
      }),
    'millbook webhook deliveries Warehouse',
  )

const replayCommand = (): Command =>
  withExamples(
    about('replay', 'send messages again: those that failed, or the ones that an option names')
      .option('--message <id>', 'only this message, even if it has arrived')
      .option(
        '--since <time>',
        'messages since this day (2026-01-31, UTC), or of the last 30m, 12h, 7d, that have not arrived, also those while the webhook was disabled',
        pastMoment,
      )
      .action(
        async (which: string, { json, ...again }: { message?: string; since?: Date } & Json, command: Command) => {
          if (again.message !== undefined && again.since !== undefined)
            command.error('give either --message or --since, not both')
          const count = await inTransaction(command, (tx) => replay(tx, which, again))
          if (json) console.log(JSON.stringify({ messages: count }))
          else console.log(`${counted(count, 'message')} will be sent again; a running service does it at once`)
        },
      ),
    'millbook webhook replay Warehouse',
    'millbook webhook replay Warehouse --since 7d',
  )

const rotate = (): Command =>
  withExamples(
    about('rotate-secret', 'give a webhook a new secret and print it; the old one signs too for a while')
      .addOption(
        new Option('--overlap <time>', 'how long the old secret signs too: 30m, 24h, 7d; 0 ends it at once')
          .argParser(overlap)
          .default(OVERLAP_SECONDS, '24h'),
      )
      .action(async (which: string, { overlap, json }: { overlap: number } & Json, command: Command) => {
        const { webhook, secret } = await inTransaction(command, (tx) => rotateSecret(tx, which, overlap))
        const { id, name, oldSecretUntil } = webhook
        if (json) console.log(JSON.stringify({ id, name, secret, old_secret_until: oldSecretUntil }))
        else {
          const old = oldSecretUntil === null ? 'ended' : `signs too until ${timeOf(oldSecretUntil)}`
          printFacts({ id, name, secret, old_secret: old })
          console.log('The secret is not shown again.')
        }
      }),
    'millbook webhook rotate-secret Warehouse --overlap 7d',
  )

const enable = (): Command =>
  withExamples(
    about('enable', 'send messages to a disabled webhook again; replay sends those that it missed').action(
      async (which: string, { json }: Json, command: Command) => {
        const [webhook, enabled] = await inTransaction(command, async (tx) => {
          const enabled = await enableWebhook(tx, which)
          return [await findWebhook(tx, which), enabled] as const
        })
        if (json) console.log(JSON.stringify(webhookJson(webhook)))
        else console.log(`${webhook.name} is ${enabled ? 'enabled' : 'active already'}`)
      },
    ),
    'millbook webhook enable Warehouse',
  )

const remove = (): Command =>
  withExamples(
    about('delete', 'delete a webhook with the log of its messages')
      .option('--yes', 'do not ask for confirmation', false)
      .action(async (which: string, { yes, json }: { yes: boolean } & Json, command: Command) => {
        const { id, name } = await withDatabase(command, async (db) => {
          const found = await findWebhook(db, which)
          await confirm(`Delete the webhook ${found.name} (${found.url})?`, yes)
          return await retryDeadlocks(() => db.begin((tx) => deleteWebhook(tx, found.id)))
        })
        if (json) console.log(JSON.stringify({ id, name }))
        else console.log(`${name} is deleted`)
      }),
    'millbook webhook delete Warehouse --yes',
  )
