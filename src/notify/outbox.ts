/**
 * The outbox: turns events into deliveries, and sends each delivery until it has arrived or failed (docs/decisions/0053). Several
 * services may work on the same rows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '../access/audit.js'
import type { Database, Tx } from '../db/connect.js'
import { inWords } from '../errors.js'
import { tablesOfReport } from '../kernel/answer/reads.js'
import type { Report } from '../kernel/report/report.js'
import { webhookAttempts } from '../metrics/metrics.js'
import { KEPT_DAYS, TAKES } from './events.js'
import { type Posted, post, type Reach } from './post.js'
import { signature } from './sign.js'

/** Seconds from each attempt of a delivery to the next one. */
export const RETRIES = [5, 300, 1800, 7200, 18_000, 36_000, 36_000]
const LONGEST_RETRY_AFTER = 86_400
/** A webhook is disabled when no attempt has succeeded for this long. */
const FAILING_FOR = '5 days'
/** Longer than an attempt takes, from the claim to the note of its result. */
const LEASE = '60 seconds'
const AT_ONCE = 16
const STORE_TRIES = 10
const STORE_AGAIN_MS = 2000
const GONE = 410

export interface OutboxOptions {
  readonly database: Pick<Database, 'db' | 'quick' | 'engine'>
  readonly reports: readonly Report[]
  readonly reach: Reach
  readonly log: Log
  /** Called when an attempt has ended, because the webhook may have more to send. */
  readonly onEnd: () => void
}

export interface Log {
  info(about: object, line: string): void
  warn(about: object, line: string): void
}

interface Claimed {
  readonly id: string
  readonly event: string
  readonly type: string
  readonly at: Date
  readonly data: object
  readonly tries: number
  readonly webhook: string
  readonly name: string
  readonly url: string
  readonly secrets: readonly string[]
  /** Now, in seconds since 1970. */
  readonly now: number
}

export class Outbox {
  readonly #options: OutboxOptions
  readonly #stop = new AbortController()
  /** The attempts in progress, by webhook. */
  readonly #sending = new Map<string, Promise<void>>()
  #tables: Promise<ReadonlyMap<string, ReadonlySet<string> | undefined>> | undefined

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** Begins everything that is due. Returns the milliseconds until something else is; undefined if nothing waits. */
  async turn(): Promise<number | undefined> {
    while (await this.#dispatch());
    for (const claimed of await this.#claim())
      this.#sending.set(
        claimed.webhook,
        this.#attempt(claimed).finally(() => {
          this.#sending.delete(claimed.webhook)
          this.#options.onEnd()
        }),
      )
    if (this.#sending.size >= AT_ONCE) return undefined // the end of an attempt begins the next turn
    const [row] = await this.#options.database.quick<{ ms: number | null }[]>`
      select extract(epoch from min(greatest(d.next_at, coalesce(d.leased_until, d.next_at))) - clock_timestamp())::float8 * 1000 as ms
        from delivery d join webhook w on w.id = d.webhook
       where d.state = 'pending' and w.disabled_at is null and w.id <> all(${[...this.#sending.keys()]})`
    return row?.ms === null || row === undefined ? undefined : Math.max(0, row.ms)
  }

  /** Gives attempts in progress a moment, then ends them; another service, or the next one, makes them again. */
  async end(patienceMs = 2000): Promise<void> {
    const late = setTimeout(() => this.#stop.abort(), patienceMs)
    await Promise.all(this.#sending.values())
    clearTimeout(late)
  }

  /** Deletes events that were told long ago. */
  async forget(): Promise<void> {
    await this.#options.database.db`
      delete from event e
       where dispatched and at < now() - make_interval(days => ${KEPT_DAYS})
         and not exists (select from delivery d where d.event = e.id and d.state = 'pending')`
  }

  /** Makes the deliveries of the oldest event that has none; returns whether there was one. */
  async #dispatch(): Promise<boolean> {
    const { quick } = this.#options.database
    const [waiting] = await quick<{ wanted: boolean }[]>`
      select exists (select from webhook w where ${TAKES}) as wanted from event e where not dispatched order by number limit 1`
    if (waiting === undefined) return false
    // Before the transaction, because the embedded engine has one session.
    const tables = waiting.wanted ? await this.#tablesOfReports() : undefined
    return await quick.begin(async (tx) => {
      const [event] = await tx<{ id: string; type: string; data: object; changed: string[] | null }[]>`
        select id, type, data, to_json(changed) as changed from event
         where not dispatched order by number limit 1 for update skip locked`
      if (event === undefined) return false
      const { id, type, changed } = event
      const data =
        type === 'data.version' && tables !== undefined
          ? { ...event.data, reports: changedReports(tables, changed) }
          : event.data
      await tx`update event set dispatched = true, data = ${JSON.stringify(data)}::text::json where id = ${id}`
      await tx`
        insert into delivery (event, webhook)
        select e.id, w.id from event e join webhook w on ${TAKES} where e.id = ${id} and w.disabled_at is null
        on conflict do nothing`
      return true
    })
  }

  #tablesOfReports(): Promise<ReadonlyMap<string, ReadonlySet<string> | undefined>> {
    const { database, reports } = this.#options
    const find = async () => {
      const found = new Map<string, ReadonlySet<string> | undefined>()
      for (const report of reports)
        if (database.engine.keepsHistory || report.group !== 'history')
          found.set(report.id, await tablesOfReport(database.db, report))
      return found
    }
    this.#tables ??= find().catch((error) => {
      this.#tables = undefined
      throw error
    })
    return this.#tables
  }

  /** Leases the next delivery of each webhook that this process is not sending to. */
  async #claim(): Promise<Claimed[]> {
    const free = AT_ONCE - this.#sending.size
    if (free <= 0) return []
    return await this.#options.database.quick<Claimed[]>`
      update delivery d set leased_until = clock_timestamp() + ${LEASE}::interval
        from event e, webhook w
       where e.id = d.event and w.id = d.webhook and d.id = any (array(
               select next.id
                 from webhook w cross join lateral (
                        select d.id from delivery d join event e on e.id = d.event
                         where d.webhook = w.id and d.state = 'pending' and d.next_at <= clock_timestamp()
                           and (d.leased_until is null or d.leased_until <= clock_timestamp())
                         order by e.number limit 1 for update of d skip locked) next
                where w.disabled_at is null and w.id <> all(${[...this.#sending.keys()]}) limit ${free}))
      returning d.id::text as id, d.event, e.type, e.at, e.data, d.tries, d.webhook, w.name, w.url,
                to_json(array_remove(array[w.secret, case when w.old_secret_until > now() then w.old_secret end], null)) as secrets,
                extract(epoch from clock_timestamp())::float8 as now`
  }

  /** Never rejects. */
  async #attempt(claimed: Claimed): Promise<void> {
    const { log, reach } = this.#options
    try {
      const { event, type, at, data, name, now, secrets } = claimed
      const body = JSON.stringify({ type, timestamp: at.toISOString(), data })
      const timestamp = Math.floor(now)
      const headers = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'Millbook',
        'webhook-id': event,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature(event, timestamp, body, secrets),
      }
      const result = await post(new URL(claimed.url), headers, body, reach, this.#stop.signal).catch((error: Error) =>
        this.#stop.signal.aborted ? undefined : error,
      )
      if (result === undefined) return await this.#release(claimed)
      if (!(result instanceof Error) && result.status >= 200 && result.status < 300) {
        webhookAttempts.add({ outcome: 'delivered' })
        return await persistently(() => this.#delivered(claimed, result))
      }
      webhookAttempts.add({ outcome: 'failed' })
      const [status, why, retryAfter] =
        result instanceof Error
          ? [null, result.message, undefined]
          : [result.status, describeStatus(result.status), result.retryAfter]
      const disabled = await persistently(() => this.#failed(claimed, status, why, retryAfter))
      log.warn({ webhook: name, message: event, reason: why }, 'a message to a webhook failed')
      if (disabled !== undefined)
        log.warn({ webhook: name, reason: disabled }, 'a webhook is disabled; millbook webhook enable enables it again')
    } catch (error) {
      // The lease ends by itself, and the message is sent again.
      log.warn({ webhook: claimed.name, reason: inWords(error) }, 'the result of a message to a webhook was not stored')
    }
  }

  async #release({ id }: Claimed): Promise<void> {
    await this.#options.database.quick`update delivery set leased_until = null where id = ${id}::bigint`
  }

  async #delivered({ id, webhook }: Claimed, { status }: Posted): Promise<void> {
    await this.#options.database.quick.begin(async (tx) => {
      await noteAttempt(tx, id, status, null)
      await tx`update delivery set state = 'delivered' where id = ${id}::bigint`
      await tx`update webhook set failing_since = null where id = ${webhook} and failing_since is not null`
    })
  }

  /** Returns why the webhook was disabled, if it was. */
  async #failed(
    { id, webhook, name, tries }: Claimed,
    status: number | null,
    error: string,
    retryAfter = 0,
  ): Promise<string | undefined> {
    return await this.#options.database.quick.begin(async (tx) => {
      await noteAttempt(tx, id, status, error)
      const pause = RETRIES[tries]
      if (pause === undefined) await tx`update delivery set state = 'failed' where id = ${id}::bigint`
      else
        await tx`
          update delivery set next_at = now() + make_interval(secs => ${Math.max(pause, Math.min(retryAfter, LONGEST_RETRY_AFTER))})
           where id = ${id}::bigint`
      const [row] = await tx<{ since: Date; long: boolean }[]>`
        update webhook set failing_since = coalesce(failing_since, clock_timestamp()) where id = ${webhook}
        returning failing_since as since, failing_since <= clock_timestamp() - ${FAILING_FOR}::interval as long`
      if (row === undefined || !(status === GONE || row.long)) return undefined
      const why =
        status === GONE
          ? 'it answered 410: the receiver wants no more messages'
          : `no message has arrived for ${FAILING_FOR}; the last attempt: ${error}`
      return (await disable(tx, { webhook, name, since: row.since, why })) ? why : undefined
    })
  }
}

/** A result that is not stored sends the message again, so storing it is tried for a good part of the lease. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (tries === STORE_TRIES) throw error
      await sleep(STORE_AGAIN_MS)
    }
}

async function noteAttempt(tx: Tx, id: string, status: number | null, error: string | null): Promise<void> {
  await tx`
    update delivery
       set attempts = attempts || jsonb_build_object('at', now(), 'status', ${status}::integer, 'error', ${error}::text),
           tries = tries + 1, leased_until = null
     where id = ${id}::bigint`
}

/** Returns false if it was disabled already. */
async function disable(
  tx: Tx,
  { webhook, name, since, why }: { webhook: string; name: string; since: Date; why: string },
): Promise<boolean> {
  const { count } = await tx`
    update webhook set disabled_at = clock_timestamp(), disabled_why = ${why} where id = ${webhook} and disabled_at is null`
  if (count === 0) return false
  await tx`update delivery set state = 'failed' where webhook = ${webhook} and state = 'pending'`
  const detail = { webhook: name, failing_since: since, why }
  await tx`insert into event (type, data) values ('webhook.disabled', ${JSON.stringify(detail)}::text::json)`
  await audit(tx, { act: 'webhook.disable', detail })
  return true
}

/** The reports that read one of these tables; null: any table may have changed. */
const changedReports = (
  tables: ReadonlyMap<string, ReadonlySet<string> | undefined>,
  changed: readonly string[] | null,
): string[] =>
  [...tables].flatMap(([report, read]) =>
    changed === null || read === undefined || changed.some((table) => read.has(table)) ? [report] : [],
  )

const describeStatus = (status: number): string =>
  status >= 300 && status < 400 ? `it answered ${status}, a redirect, which is not followed` : `it answered ${status}`
