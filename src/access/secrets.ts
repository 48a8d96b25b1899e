/** Creates and checks secrets; the database stores only their hashes. */
import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { MillbookError } from '../errors.js'

/** 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Cost of argon2id: memory in KiB, passes, threads. A stored hash includes its own cost. */
export interface Argon2Cost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

/** OWASP's first recommendation. */
export const DEFAULT_COST = 'm=19456,t=2,p=1'
/** Memory × passes of OWASP's cheapest recommendation. */
const MIN_WORK = 7168 * 5

export function argon2Cost(text: string): Argon2Cost {
  const [, m = '', t = '', p = ''] = /^m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})$/.exec(text) ?? []
  const cost = { memoryCost: Number(m), timeCost: Number(t), parallelism: Number(p) }
  if (m === '' || cost.parallelism < 1 || cost.memoryCost < 8 * cost.parallelism)
    throw new MillbookError(
      `the argon2id cost ${text} is malformed; write it as ${DEFAULT_COST} (KiB, passes, threads)`,
    )
  if (cost.memoryCost < 7168 || cost.memoryCost * cost.timeCost < MIN_WORK)
    throw new MillbookError(
      `argon2id with ${text} makes guessing too cheap; use at least 7168 for memory and ${MIN_WORK} for memory × passes`,
    )
  return cost
}

let cost = argon2Cost(DEFAULT_COST)
let randomHash: Promise<string> | undefined

/** In an object, so that a test can see which hashes are checked, whose cost an attacker can measure, and can make cheap ones. */
export const argon2 = { hash, verify }

/** Sets the cost of the hashes that this process creates from now on. */
export function useArgon2Cost(text: string): void {
  cost = argon2Cost(text)
  randomHash = undefined
}

/** For passwords and client secrets: argon2id, the library's default. */
export const hashSecret = (secret: string): Promise<string> => argon2.hash(secret, cost)

/**
 * Checks a secret against its stored hash. Without a stored hash it checks a decoy and returns false, so that the response time
 * does not reveal whether the name exists.
 */
export async function checkSecret(stored: string | undefined, secret: string, decoy?: string): Promise<boolean> {
  if (stored !== undefined) return await argon2.verify(stored, secret)
  randomHash ??= hashSecret(newSecret())
  await argon2.verify(decoy ?? (await randomHash), secret)
  return false
}

/** For tokens: 256 random bits cannot be guessed, so a fast hash is enough. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
