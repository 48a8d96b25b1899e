/**
 * Authenticates clients and users. The database counts failures per client, per username and per address, for all
 * processes together; after some failures the caller has to wait, and every further failure doubles the wait.
 */
import { availableParallelism } from 'node:os'
import type { Db, Queryable } from '../db/connect.js'
import { Problem } from '../errors.js'
import { network } from '../network.js'
import { Turns } from '../turns.js'
import type { Grant } from './clients.js'
import { checkSecret, hashToken } from './secrets.js'

export interface SigningClient {
  clientId: string
  name: string
  /** Groups of reports that the client may use; null for all. */
  groups: string[] | null
  grants: Grant[]
  /** The stored hash that the secret matched; null for a public client. */
  proof: string | null
}

export interface SignedInUser {
  /** Groups of reports that the user may use; null for all. */
  groups: string[] | null
  /** The stored hash that the password matched. */
  proof: string
}

/** The client with this id, if the secret matches and it is not disabled. During a rotation it has two secrets. */
export async function checkClient(db: Queryable, clientId: string, secret: string): Promise<SigningClient | undefined> {
  const [row] = await db<(Omit<SigningClient, 'proof'> & Record<'hash' | 'oldHash', string | null>)[]>`
    select client_id as "clientId", name, to_json(groups) as groups, to_json(grants) as grants, secret_hash as hash,
           case when old_secret_until > now() then old_secret_hash end as "oldHash"
      from api_client where client_id = ${clientId} and disabled_at is null`
  const decoy = await decoyHash(db, 'api_client', clientId)
  const matches = await checkSecret(row?.hash ?? undefined, secret, decoy)
  if (row !== undefined && matches) return { ...clientOf(row), proof: row.hash }
  // A wrong secret is always checked twice, so that the time does not reveal whether there is a rotation.
  const matchesOld = await checkSecret(row?.oldHash ?? undefined, secret, decoy)
  return row?.oldHash && matchesOld ? { ...clientOf(row), proof: row.oldHash } : undefined
}

const clientOf = ({ clientId, name, groups, grants }: Omit<SigningClient, 'proof'>) => ({
  clientId,
  name,
  groups,
  grants,
})

/** A client without a secret: it is identified, not authenticated. */
export async function findPublicClient(db: Queryable, clientId: string): Promise<SigningClient | undefined> {
  const [client] = await db<SigningClient[]>`
    select client_id as "clientId", name, to_json(groups) as groups, to_json(grants) as grants, secret_hash as proof
      from api_client where client_id = ${clientId} and disabled_at is null and secret_hash is null`
  return client
}

/** The user, if the password matches and the user is not disabled. */
export async function checkUser(db: Queryable, username: string, password: string): Promise<SignedInUser | undefined> {
  const [row] = await db<SignedInUser[]>`
    select to_json(groups) as groups, password_hash as proof from api_user
     where username = ${username} and disabled_at is null`
  const matches = await checkSecret(row?.proof, password, await decoyHash(db, 'api_user', username))
  return matches ? row : undefined
}

/** A stored hash of another account, always the same for a name: checking it takes as long as checking a real one. */
async function decoyHash(db: Queryable, table: 'api_client' | 'api_user', name: string): Promise<string | undefined> {
  const [row] = await (table === 'api_client'
    ? db<{ hash: string }[]>`
        select secret_hash as hash from api_client where secret_hash is not null order by md5(client_id || ${name}) limit 1`
    : db<{ hash: string }[]>`select password_hash as hash from api_user order by md5(username || ${name}) limit 1`)
  return row?.hash
}

/** The number of failures without a wait, and the longest wait in seconds after further failures. */
interface Backoff {
  free: number
  longest: number
}
/** For an address from which the subject signed in lately: attackers elsewhere cannot lock the subject out there for longer. */
const AT_KNOWN_ADDRESS: Backoff = { free: 5, longest: 60 }
const AT_OTHER_ADDRESS: Backoff = { free: 5, longest: 900 }
/**
 * For one user, over all addresses from which the user has not signed in. Not for a client: its secret cannot be guessed, and a
 * stranger who knows its id could lock the client out of new addresses.
 */
const FROM_ANYWHERE: Backoff = { free: 20, longest: 900 }
/** For one address, over all subjects. */
const BY_ADDRESS: Backoff = { free: 30, longest: 900 }
/** Time after the last failure. */
export const FORGOTTEN_AFTER = '1 day'
export const KNOWN_FOR = '30 days'

/** One second, doubled by each further failure. */
const waitAfter = (failures: number, { free, longest }: Backoff): number =>
  failures < free ? 0 : Math.min(longest, 2 ** Math.min(20, failures - free))

export interface Guard {
  client(clientId: string, secret: string, address: string): Promise<SigningClient | undefined>
  user(username: string, password: string, address: string): Promise<SignedInUser | undefined>
}

/** How many secrets each worker checks at a time: a check takes memory and tens of milliseconds of a core by design. */
export const checksOfEach = (workers: number, cores: number) => ({
  running: Math.max(1, Math.floor(cores / 2 / workers)),
  waiting: 64,
  waitingPerSource: 24,
})

/** Signs in under these limits. Throws 429 if the caller has to wait, and 503 if the queue is full. */
export function signInGuard(db: Db, workers: number): Guard {
  const limits = checksOfEach(workers, availableParallelism())
  const turns = new Turns(limits.running)
  /** One address cannot fill the queue. */
  const isFull = (address: string) =>
    turns.waiting >= limits.waiting || turns.waitingFrom(address) >= limits.waitingPerSource

  async function attempt<T>(kind: 'client' | 'user', name: string, from: string, check: () => Promise<T>): Promise<T> {
    const address = network(from)
    const subject = hashToken(`${kind}:${name}`)
    await refuseIfTooSoon(db, subject, address) // before the attempt takes a turn
    if (isFull(address))
      throw new Problem('unavailable', {
        detail: 'Too many sign-ins are in progress; try again in a second.',
        headers: { 'retry-after': '1' },
      })
    return await turns.run(async () => {
      // Checked again, because other guesses that were sent at the same time may have failed meanwhile.
      const history = await refuseIfTooSoon(db, subject, address)
      const found = await check()
      if (found) await succeeded(db, subject, address, history)
      else await failed(db, subject, address, kind === 'user' && !history.known)
      return found
    }, address)
  }

  return {
    client: (clientId, secret, address) =>
      attempt('client', clientId, address, () => checkClient(db, clientId, secret)),
    user: (username, password, address) => attempt('user', username, address, () => checkUser(db, username, password)),
  }
}

export interface History {
  /** Whether the subject signed in from this address lately. */
  known: boolean
  /** Whether the last day has a recorded success and no failure since then. */
  recorded: boolean
}

/** The subject of rows that count an address. */
const ANYONE = hashToken('address')

/** Throws 429 if the subject or `anyone`, which counts the address over all subjects, has to wait. */
export async function refuseIfTooSoon(
  db: Db,
  subject: Buffer,
  address: string,
  anyone: Buffer = ANYONE,
): Promise<History> {
  const rows = await db<
    { own: boolean; anywhere: boolean; failures: number; ago: number; known: boolean; recorded: boolean }[]
  >`
    select subject = ${subject} and address <> '' as own, address = '' as anywhere,
           case when failed_at > now() - ${FORGOTTEN_AFTER}::text::interval then failures else 0 end as failures,
           coalesce(extract(epoch from now() - failed_at), 0)::float8 as ago,
           coalesce(succeeded_at > now() - ${KNOWN_FOR}::text::interval, false) as known,
           failures = 0 and coalesce(succeeded_at > now() - interval '1 day', false) as recorded
      from sign_in
     where (subject = ${subject} and address in (${address}, '')) or (subject = ${anyone} and address = ${address})`
  const own = rows.find((row) => row.own)
  const known = own?.known ?? false
  const waits = rows.map((row) => {
    const backoff = row.own ? (known ? AT_KNOWN_ADDRESS : AT_OTHER_ADDRESS) : row.anywhere ? FROM_ANYWHERE : BY_ADDRESS
    return row.own || !known ? waitAfter(row.failures, backoff) - row.ago : 0
  })
  const wait = Math.ceil(Math.max(0, ...waits))
  if (wait > 0)
    throw new Problem('too-many-requests', {
      detail: `Too many sign-in attempts failed; try again in ${wait} seconds.`,
      headers: { 'retry-after': String(wait) },
    })
  return { known, recorded: own?.recorded ?? false }
}

/** `overAll` counts the failure over all addresses too. */
export async function failed(
  db: Db,
  subject: Buffer,
  address: string,
  overAll: boolean,
  anyone: Buffer = ANYONE,
): Promise<void> {
  const counted: [Buffer, string][] = [
    [subject, address],
    [anyone, address],
  ]
  if (overAll) counted.push([subject, ''])
  counted.sort(([a, x], [b, y]) => Buffer.compare(a, b) || (x < y ? -1 : 1)) // in a fixed order, against deadlocks
  for (const [countedSubject, countedAddress] of counted)
    await db`
      insert into sign_in as s (subject, address, failures, failed_at) values (${countedSubject}, ${countedAddress}, 1, now())
      on conflict (subject, address) do update set failed_at = now(),
        failures = case when s.failed_at > now() - ${FORGOTTEN_AFTER}::text::interval then s.failures + 1 else 1 end`
}

/** Keeps the failures of this address for other names: signing in with one account must not allow more guesses at others. */
export async function succeeded(db: Db, subject: Buffer, address: string, { recorded }: History): Promise<void> {
  if (recorded) return
  await db`
    insert into sign_in (subject, address, succeeded_at) values (${subject}, ${address}, now())
    on conflict (subject, address) do update set failures = 0, failed_at = null, succeeded_at = now()`
}
