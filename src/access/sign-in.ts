/**
 * Clients and users prove who they are. Failures are counted per client, per username and per address, in the database,
 * so that all processes count together; after some of them one has to wait, longer each time.
 */
import { availableParallelism } from 'node:os'
import type { Db, Queryable } from '../db/connect.js'
import { Problem } from '../errors.js'
import { network } from '../network.js'
import type { Grant } from './clients.js'
import { checkSecret, hashToken } from './secrets.js'
import { Slots } from './slots.js'

export interface SigningClient {
  clientId: string
  name: string
  /** The groups of reports it may use; null for all. */
  groups: string[] | null
  grants: Grant[]
  /** The stored hash that the secret fitted. */
  proof: string
}

/** The client with this id, if the secret is right and it is not disabled. During a rotation two secrets are right. */
export async function checkClient(db: Queryable, clientId: string, secret: string): Promise<SigningClient | undefined> {
  const [row] = await db<(Omit<SigningClient, 'proof'> & { hash: string; oldHash: string | null })[]>`
    select client_id as "clientId", name, to_json(groups) as groups, to_json(grants) as grants, secret_hash as hash,
           case when old_secret_until > now() then old_secret_hash end as "oldHash"
      from api_client where client_id = ${clientId} and disabled_at is null`
  const right = await checkSecret(row?.hash, secret, await someoneElse(db, 'api_client', clientId))
  if (row === undefined) return undefined
  const { hash, oldHash, ...client } = row
  if (right) return { ...client, proof: hash }
  return oldHash !== null && (await checkSecret(oldHash, secret)) ? { ...client, proof: oldHash } : undefined
}

/** The stored hash that the password fitted, if the user is there and not disabled. */
export async function checkUser(db: Queryable, username: string, password: string): Promise<string | undefined> {
  const [row] = await db<{ hash: string }[]>`
    select password_hash as hash from api_user where username = ${username} and disabled_at is null`
  const right = await checkSecret(row?.hash, password, await someoneElse(db, 'api_user', username))
  return right ? row?.hash : undefined
}

/** Always the same one's for the same name, and among all of them: whoever measures cannot tell it from one's own. */
async function someoneElse(db: Queryable, table: 'api_client' | 'api_user', name: string): Promise<string | undefined> {
  const [row] = await (table === 'api_client'
    ? db<{ hash: string }[]>`select secret_hash as hash from api_client order by md5(client_id || ${name}) limit 1`
    : db<{ hash: string }[]>`select password_hash as hash from api_user order by md5(username || ${name}) limit 1`)
  return row?.hash
}

/** How many failures cost nothing, and the longest wait in seconds after more of them. */
interface Patience {
  free: number
  longest: number
}
/** From an address that it has succeeded from lately: no one else can keep a user out there for longer than this. */
const AT_KNOWN_ADDRESS: Patience = { free: 5, longest: 60 }
const AT_OTHER_ADDRESS: Patience = { free: 5, longest: 900 }
/** Of one subject, from all addresses that it has not succeeded from. */
const FROM_ANYWHERE: Patience = { free: 20, longest: 900 }
/** From one address, whoever is claimed. */
const BY_ADDRESS: Patience = { free: 30, longest: 900 }
/** A day after the last one, failures are forgotten. */
export const FORGOTTEN_AFTER = '1 day'
export const KNOWN_FOR = '30 days'

/** One second, then twice as long after each further failure. */
const waitAfter = (failures: number, { free, longest }: Patience): number =>
  failures < free ? 0 : Math.min(longest, 2 ** Math.min(20, failures - free))

export interface Guard {
  client(clientId: string, secret: string, address: string): Promise<SigningClient | undefined>
  user(username: string, password: string, address: string): Promise<string | undefined>
}

/**
 * Signs in under those limits. Throws 429 where one has to wait, and 503 where more want to sign in than can be checked:
 * a check takes memory and tens of milliseconds of a core by design, and `workers` processes share the cores.
 */
export function signInGuard(db: Db, workers: number): Guard {
  const slots = new Slots({
    running: Math.max(1, Math.floor(availableParallelism() / 2 / workers)),
    ...{ waiting: 64, waitingPerSource: 24 },
  })

  async function attempt<T>(kind: string, name: string, from: string, check: () => Promise<T>): Promise<T> {
    const address = network(from)
    const subject = hashToken(`${kind}:${name}`)
    await refuseIfTooSoon(db, subject, address) // before it takes a place
    const checked = await slots.run(address, async () => {
      // Once more, so that guesses sent all at once are not all let through: only as many as run at a time.
      const past = await refuseIfTooSoon(db, subject, address)
      const found = await check()
      if (found) await succeeded(db, subject, address, past)
      else await failed(db, subject, address, past.known)
      return found
    })
    if (checked === undefined)
      throw new Problem('unavailable', {
        detail: 'Too many are signing in just now; try again shortly.',
        headers: { 'retry-after': '1' },
      })
    return checked.done
  }

  return {
    client: (clientId, secret, address) =>
      attempt('client', clientId, address, () => checkClient(db, clientId, secret)),
    user: (username, password, address) => attempt('user', username, address, () => checkUser(db, username, password)),
  }
}

interface Past {
  /** Whether this address is one that it has succeeded from lately. */
  known: boolean
  /** Whether the success need not be noted: it has been today, and no failure since. */
  noted: boolean
}

const ANYONE = hashToken('address')

async function refuseIfTooSoon(db: Db, subject: Buffer, address: string): Promise<Past> {
  const rows = await db<
    { own: boolean; anywhere: boolean; failures: number; ago: number; known: boolean; noted: boolean }[]
  >`
    select subject = ${subject} and address <> '' as own, address = '' as anywhere,
           case when failed_at > now() - ${FORGOTTEN_AFTER}::text::interval then failures else 0 end as failures,
           coalesce(extract(epoch from now() - failed_at), 0)::float8 as ago,
           coalesce(succeeded_at > now() - ${KNOWN_FOR}::text::interval, false) as known,
           failures = 0 and coalesce(succeeded_at > now() - interval '1 day', false) as noted
      from sign_in
     where (subject = ${subject} and address in (${address}, '')) or (subject = ${ANYONE} and address = ${address})`
  const own = rows.find((row) => row.own)
  const known = own?.known ?? false
  const waits = rows.map((row) => {
    const patience = row.own ? (known ? AT_KNOWN_ADDRESS : AT_OTHER_ADDRESS) : row.anywhere ? FROM_ANYWHERE : BY_ADDRESS
    return row.own || !known ? waitAfter(row.failures, patience) - row.ago : 0
  })
  const wait = Math.ceil(Math.max(0, ...waits))
  if (wait > 0)
    throw new Problem('too-many-requests', {
      detail: `There were too many failed attempts to sign in; try again in ${wait} seconds.`,
      headers: { 'retry-after': String(wait) },
    })
  return { known, noted: own?.noted ?? false }
}

async function failed(db: Db, subject: Buffer, address: string, known: boolean): Promise<void> {
  const counted: [Buffer, string][] = [
    [subject, address],
    [ANYONE, address],
  ]
  if (!known) counted.push([subject, ''])
  counted.sort(([a, x], [b, y]) => Buffer.compare(a, b) || (x < y ? -1 : 1)) // always in one order: no deadlocks
  for (const [who, where] of counted)
    await db`
      insert into sign_in as s (subject, address, failures, failed_at) values (${who}, ${where}, 1, now())
      on conflict (subject, address) do update set failed_at = now(),
        failures = case when s.failed_at > now() - ${FORGOTTEN_AFTER}::text::interval then s.failures + 1 else 1 end`
}

/** Failures of this address with other names are kept: one account of one's own does not buy guesses at others. */
async function succeeded(db: Db, subject: Buffer, address: string, { noted }: Past): Promise<void> {
  if (noted) return
  await db`
    insert into sign_in (subject, address, succeeded_at) values (${subject}, ${address}, now())
    on conflict (subject, address) do update set failures = 0, failed_at = null, succeeded_at = now()`
}
