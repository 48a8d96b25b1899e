/**
 * Manifests of reports that callers follow: the database keeps the key and a hash of every record at each step of a feed. A step is
 * a state of the report for which a caller got a token; every process can compute the difference between any two steps.
 */
import type { Db, Queryable, Tx } from '../db/connect.js'
import { copyRows, copyText } from '../db/copy.js'
import { sql } from '../db/sql.js'
import { readTexts, type Texts } from '../db/texts.js'

export interface FeedLimits {
  /** A token that was not used for this number of days is deleted. */
  readonly days: number
  /** The most rows of all feeds together; beyond it, the least recently used tokens are deleted. */
  readonly rows: number
}

export const FEED_LIMITS: FeedLimits = { days: 35, rows: 10_000_000 } // about 2 GB in the database

/** A step of a feed. */
export interface Step {
  readonly feed: number
  readonly number: number
}

/** A record in a manifest. */
export interface Entry {
  readonly keyHash: string
  readonly hash: string
  /** The values of the key, as a JSON array. */
  readonly key: string
}

/** A single feed exceeds the limit of all feeds. */
export class TooManyRecords extends Error {}

/** A step was deleted while it was needed. */
export class Forgotten extends Error {}

const COPY_CHARACTERS = 1 << 21
/** The last use of a token is recorded at most once in this time. */
const NOTE_USE_AFTER = '1 hour'

export class Manifests {
  readonly #db: Db
  readonly #limits: FeedLimits

  constructor(db: Db, limits: FeedLimits) {
    this.#db = db
    this.#limits = limits
  }

  /** The step of a token, and the question that it belongs to; undefined if the token is not kept. */
  async find(token: string): Promise<(Step & { readonly question: string }) | undefined> {
    const [found] = await this.#db<(Step & { question: string; rests: boolean })[]>`
      select feed, number, question, used_at < now() - ${NOTE_USE_AFTER}::interval as rests
        from feed_step s join feed f on f.id = s.feed
       where token = ${token} and used_at > now() - make_interval(days => ${this.#limits.days})`
    if (found?.rests) await this.#db`update feed_step set used_at = now() where token = ${token}`
    return found
  }

  /** Keeps a state of a report as a step, unless it is kept already. */
  async keep(question: string, report: string, token: string, entries: AsyncIterable<Entry>): Promise<Step> {
    return await this.#db.begin(async (tx) => {
      await tx`insert into feed (question, report) values (${question}, ${report}) on conflict do nothing`
      // Other writers of steps of this feed wait here.
      const [own] = await tx<{ feed: number; last: number }[]>`
        select id as feed, last_step as last from feed where question = ${question} for update`
      if (own === undefined) throw new Forgotten()
      const { feed } = own
      const [known] = await tx<Step[]>`select feed, number from feed_step where token = ${token}`
      if (known !== undefined) return known
      const number = own.last + 1
      await copyEntries(tx, feed, entries)
      // A table that grew in this transaction has no statistics yet.
      await tx`set local enable_nestloop = off`
      await tx`update feed_record r set end_step = ${number}
                where feed = ${feed} and end_step is null
                  and not exists (select from feed_arrival a
                                   where a.feed = ${feed} and a.key_hash = r.key_hash and a.hash = r.hash)`
      const added = await tx`
        insert into feed_record (feed, key_hash, hash, first_step, key)
        select feed, key_hash, hash, ${number}::integer, key from feed_arrival a
         where feed = ${feed}
           and not exists (select from feed_record r
                            where r.feed = ${feed} and r.key_hash = a.key_hash and r.end_step is null)`
      await tx`delete from feed_arrival where feed = ${feed}`
      await tx`insert into feed_step (token, feed, number) values (${token}, ${feed}, ${number})`
      await tx`update feed set last_step = ${number}, row_count = row_count + ${added.count} where id = ${feed}`
      await this.#forget(tx, token)
      return { feed, number }
    })
  }

  /** Deletes tokens that are too old, then the least recently used tokens until the limit holds. */
  async #forget(tx: Tx, newest: string): Promise<void> {
    const { days, rows } = this.#limits
    const old = sql`used_at <= now() - make_interval(days => ${days})`
    for (let oldest = await forgetOne(tx, newest, old); oldest; oldest = await forgetOne(tx, newest, old));
    while (true) {
      const [sum] = await tx<{ all: number; own: number }[]>`
        select sum(row_count)::float8 as all,
               (select row_count::float8 from feed where id = (select feed from feed_step where token = ${newest})) as own
          from feed`
      if (sum === undefined || sum.all <= rows) return
      if (await forgetOne(tx, newest)) continue
      if (sum.own > rows) throw new TooManyRecords()
      return // others are writing the rest; the next step forgets more
    }
  }

  /**
   * The hashes of the keys of records that were new or changed at any step between two, and the keys of records that the second step
   * no longer has. A record that changed and changed back is included: the caller may have stored the records of a step in between
   * but not its token. Either step may be the earlier one.
   */
  async difference(from: Step, to: Step, signal?: AbortSignal): Promise<{ upserted: Texts; removed: Texts }> {
    return await this.#db.begin('isolation level repeatable read read only', async (tx) => {
      const [kept] = await tx<{ both: boolean }[]>`
        select count(*) = 2 as both from feed_step where feed = ${to.feed} and number in (${from.number}, ${to.number})`
      if (!kept?.both) throw new Forgotten()
      const [after, upTo] = [Math.min(from.number, to.number) + 1, Math.max(from.number, to.number)]
      const touched = sql`
        select key_hash, key from feed_record
         where feed = ${to.feed} and (first_step between ${after} and ${upTo} or end_step between ${after} and ${upTo})`
      const present = sql`
        from feed_record r where r.feed = ${to.feed} and r.first_step <= ${to.number}
         and (r.end_step is null or r.end_step > ${to.number})`
      const upserted = sql`
        select replace(r.key_hash::text, '-', '') ${present} and r.key_hash in (select t.key_hash from (${touched}) t)`
      const removed = sql`
        select distinct t.key from (${touched}) t
         where not exists (select ${present} and r.key_hash = t.key_hash) order by t.key`
      return { upserted: await readTexts(tx, upserted, signal), removed: await readTexts(tx, removed, signal) }
    })
  }
}

async function copyEntries(tx: Queryable, feed: number, entries: AsyncIterable<Entry>): Promise<void> {
  let lines = ''
  const flush = async () => {
    if (lines !== '') await copyRows(tx, 'feed_arrival', ['feed', 'key_hash', 'hash', 'key'], lines)
    lines = ''
  }
  for await (const { keyHash, hash, key } of entries) {
    lines += `${feed}\t${keyHash}\t${hash}\t${copyText(key)}\n`
    if (lines.length >= COPY_CHARACTERS) await flush()
  }
  await flush()
}

/** Deletes the least recently used token, unless its feed is being written; returns whether there was one. */
async function forgetOne(tx: Tx, newest: string, condition = sql`true`): Promise<boolean> {
  const [oldest] = await tx<{ token: string; feed: number }[]>`
    select s.token, s.feed from feed_step s join feed f on f.id = s.feed
     where s.token <> ${newest} and ${condition} order by s.used_at, s.number limit 1 for update of f skip locked`
  if (oldest === undefined) return false
  const { token, feed } = oldest
  await tx`delete from feed_step where token = ${token}`
  const { count } = await tx`
    delete from feed_record r where feed = ${feed}
       and not exists (select from feed_step s where s.feed = ${feed} and s.number >= r.first_step
                          and (r.end_step is null or s.number < r.end_step))`
  await tx`update feed set row_count = row_count - ${count} where id = ${feed}`
  await tx`delete from feed f where id = ${feed} and not exists (select from feed_step s where s.feed = f.id)`
  return true
}
