/** Administration of webhooks. Functions that change something take a transaction and write their audit entry in it. */
import { audit, type By } from '../access/audit.js'
import { checkName } from '../access/names.js'
import { newSecret } from '../access/secrets.js'
import type { Queryable, Tx } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'
import { type EventType, KEPT_DAYS, TAKES } from './events.js'
import { newWebhookSecret } from './sign.js'

/** How long the old secret of a rotation signs too, by default. */
export const OVERLAP_SECONDS = 86_400
const MOST = 100
const LONGEST_URL = 2000

export interface Webhook {
  readonly id: string
  readonly name: string
  readonly url: string
  /** Null for all. */
  readonly events: readonly EventType[] | null
  readonly createdAt: Date
  readonly failingSince: Date | null
  readonly disabledAt: Date | null
  readonly disabledWhy: string | null
  readonly oldSecretUntil: Date | null
  readonly pending: number
  readonly failed: number
  readonly lastDeliveredAt: Date | null
}

export interface NewWebhook {
  readonly name: string
  readonly url: string
  readonly events?: readonly EventType[] | null | undefined
}

/** A webhook in the JSON of the command line and of the API. */
export const webhookJson = (webhook: Webhook) => ({
  ...{ id: webhook.id, name: webhook.name, url: webhook.url, events: webhook.events },
  created_at: webhook.createdAt,
  old_secret_until: webhook.oldSecretUntil,
  failing_since: webhook.failingSince,
  disabled_at: webhook.disabledAt,
  disabled_why: webhook.disabledWhy,
  ...{ pending: webhook.pending, failed: webhook.failed },
  last_delivered_at: webhook.lastDeliveredAt,
})

/** Throws a sentence about a URL that no webhook may have. Which addresses it may reach is known when it is used. */
export function checkUrl(text: string): void {
  const wrong = (why: string) => new MillbookError(`the URL of a webhook ${why}`)
  if (text.length > LONGEST_URL) throw wrong(`must have at most ${LONGEST_URL} characters`)
  const { protocol, username, password, hash } = URL.canParse(text) ? new URL(text) : ({} as Partial<URL>)
  if (protocol !== 'https:' && protocol !== 'http:')
    throw wrong('must begin with https://, or with http:// for a private address')
  if (username !== '' || password !== '')
    throw wrong('must not have a user or a password; the receiver knows us by the signature')
  if (hash !== '') throw wrong('must not have a fragment (#), because it is never sent')
}

/** Returns the webhook and its secret, which no other function returns. */
export async function createWebhook(
  tx: Tx,
  { name, url, events = null }: NewWebhook,
  by: By = {},
): Promise<{ webhook: Webhook; secret: string }> {
  checkName('webhook', name)
  checkUrl(url)
  const [id, secret] = [newSecret().slice(0, 16), newWebhookSecret()]
  const made = await tx`
    insert into webhook (id, name, url, events, secret, since_version)
    select ${id}, ${name}, ${url}, ${events}, ${secret}, version from data_version on conflict do nothing returning 1`
  if (made.length === 0)
    throw new MillbookError(`there is already a webhook named ${name}; choose another name`, { kind: 'conflict' })
  const [{ count } = { count: 0 }] = await tx<{ count: number }[]>`select count(*)::integer as count from webhook`
  if (count > MOST)
    throw new MillbookError(`there are ${MOST} webhooks, the most there can be; delete one first`, { kind: 'conflict' })
  await audit(tx, {
    ...by,
    act: 'webhook.create',
    detail: { id, name, to: new URL(url).origin, events: events ?? 'all' },
  })
  return { webhook: await findWebhook(tx, id), secret }
}

export const listWebhooks = (db: Queryable): Promise<Webhook[]> => webhooks(db, null)

/** Finds a webhook by id, or by name if none has that id. */
export async function findWebhook(db: Queryable, nameOrId: string): Promise<Webhook> {
  const found = await webhooks(db, nameOrId)
  const webhook = found.find(({ id }) => id === nameOrId) ?? found[0]
  if (webhook !== undefined) return webhook
  const known = (await db<{ name: string }[]>`select name from webhook`).map(({ name }) => name)
  throw new MillbookError(
    known.length === 0
      ? `there is no webhook ${nameOrId}, because there are none yet; create one with millbook webhook create`
      : `there is no webhook ${nameOrId}${nearest(nameOrId, known) || '; millbook webhook list shows all webhooks'}`,
    { kind: 'unknown' },
  )
}

const webhooks = (db: Queryable, nameOrId: string | null): Promise<Webhook[]> =>
  db<Webhook[]>`
    select w.id, w.name, w.url, to_json(w.events) as events, w.created_at as "createdAt", w.failing_since as "failingSince",
           w.disabled_at as "disabledAt", w.disabled_why as "disabledWhy",
           case when w.old_secret_until > now() then w.old_secret_until end as "oldSecretUntil",
           d.pending, d.failed, d.last as "lastDeliveredAt"
      from webhook w
     cross join lateral (
             select count(*) filter (where state = 'pending')::integer as pending,
                    count(*) filter (where state = 'failed')::integer as failed,
                    max((attempts -> -1 ->> 'at')::timestamptz) filter (where state = 'delivered') as last
               from delivery where webhook = w.id) d
     where ${nameOrId}::text is null or ${nameOrId} in (w.name, w.id)
     order by w.name`

async function lockWebhook(tx: Tx, nameOrId: string): Promise<Webhook> {
  await tx`select from webhook where ${nameOrId} in (name, id) for update`
  return await findWebhook(tx, nameOrId)
}

/** Creates a new secret. Messages are signed with both until the overlap is over. */
export async function rotateSecret(
  tx: Tx,
  nameOrId: string,
  overlapSeconds = OVERLAP_SECONDS,
  by: By = {},
): Promise<{ webhook: Webhook; secret: string }> {
  const { id, name } = await lockWebhook(tx, nameOrId)
  const secret = newWebhookSecret()
  const overlaps = overlapSeconds > 0
  await tx`
    update webhook
       set secret = ${secret}, old_secret = case when ${overlaps} then secret end,
           old_secret_until = case when ${overlaps} then now() + make_interval(secs => ${overlapSeconds}) end
     where id = ${id}`
  const webhook = await findWebhook(tx, id)
  await audit(tx, {
    ...by,
    act: 'webhook.rotate-secret',
    detail: { id, name, old_secret_until: webhook.oldSecretUntil },
  })
  return { webhook, secret }
}

/** Returns false if it was not disabled. */
export async function enableWebhook(tx: Tx, nameOrId: string, by: By = {}): Promise<boolean> {
  const { id, name, disabledAt } = await lockWebhook(tx, nameOrId)
  if (disabledAt === null) return false
  await tx`update webhook set disabled_at = null, disabled_why = null, failing_since = null where id = ${id}`
  await audit(tx, { ...by, act: 'webhook.enable', detail: { id, name, disabled_since: disabledAt } })
  return true
}

export async function deleteWebhook(tx: Tx, nameOrId: string, by: By = {}): Promise<Webhook> {
  const webhook = await lockWebhook(tx, nameOrId)
  const { id, name, url } = webhook
  await tx`delete from webhook where id = ${id}`
  await audit(tx, { ...by, act: 'webhook.delete', detail: { id, name, to: new URL(url).origin } })
  return webhook
}

export interface Attempt {
  readonly at: string
  /** Of the response; null if there was none. */
  readonly status: number | null
  /** Null if the message was delivered. */
  readonly error: string | null
}

export interface Delivery {
  /** The `webhook-id` of the message. */
  readonly id: string
  readonly type: string
  readonly at: Date
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly data: object
  readonly attempts: readonly Attempt[]
  /** Null unless it is pending. */
  readonly nextAttemptAt: Date | null
}

export const deliveryJson = ({ id, type, at, state, data, attempts, nextAttemptAt }: Delivery) => ({
  ...{ id, type, at, state, data, attempts, next_attempt_at: nextAttemptAt },
})

/** The newest deliveries of a webhook, newest first. */
export async function listDeliveries(db: Queryable, nameOrId: string, limit: number): Promise<Delivery[]> {
  const { id } = await findWebhook(db, nameOrId)
  return await db<Delivery[]>`
    select e.id, e.type, e.at, d.state, e.data, d.attempts, case when d.state = 'pending' then d.next_at end as "nextAttemptAt"
      from delivery d join event e on e.id = d.event
     where d.webhook = ${id} order by e.number desc limit ${limit}`
}

export interface Again {
  /** Only this message, even if it has arrived. */
  readonly message?: string | undefined
  /** Messages since this moment, also those that were never sent because the webhook was disabled. */
  readonly since?: Date | undefined
}

/** Sends messages again that failed, or those that `again` names. Returns their number. */
export async function replay(tx: Tx, nameOrId: string, { message, since }: Again, by: By = {}): Promise<number> {
  const { id, name, disabledAt } = await lockWebhook(tx, nameOrId)
  if (disabledAt !== null)
    throw new MillbookError(`${name} is disabled; run millbook webhook enable first`, { kind: 'conflict' })
  const { count } = await tx`
    insert into delivery (event, webhook)
    select e.id, w.id from event e join webhook w on w.id = ${id} left join delivery d on d.event = e.id and d.webhook = w.id
     where e.dispatched
       and case when ${message ?? null}::text is not null then e.id = ${message ?? null} and d.id is not null
                when ${since ?? null}::timestamptz is not null
                then e.at >= ${since ?? null} and coalesce(d.state, 'failed') = 'failed' and ${TAKES}
                else d.state = 'failed' end
    on conflict (webhook, event) do update
      set state = 'pending', tries = 0, next_at = clock_timestamp(), leased_until = null`
  if (message !== undefined && count === 0)
    throw new MillbookError(
      `${name} has no message ${message}; millbook webhook deliveries shows those of the last ${KEPT_DAYS} days`,
      { kind: 'unknown' },
    )
  await tx`select pg_notify('millbook_version', 'deliveries')` // wakes the service
  const only = message ?? since
  await audit(tx, { ...by, act: 'webhook.replay', detail: { id, name, messages: count, ...(only && { only }) } })
  return count
}
