/** Secrets: made here, stored only as hashes. */
import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { MillbookError } from '../errors.js'

/** 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** What argon2id costs: memory in KiB, passes over it, threads. A stored hash names those that it was made with. */
export interface Argon2Cost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

/** OWASP's first choice. */
export const DEFAULT_COST = 'm=19456,t=2,p=1'
/** Memory × passes of the cheapest choice that OWASP lists. */
const LEAST_WORK = 7168 * 5

export function argon2Cost(text: string): Argon2Cost {
  const [, m = '', t = '', p = ''] = /^m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})$/.exec(text) ?? []
  const cost = { memoryCost: Number(m), timeCost: Number(t), parallelism: Number(p) }
  if (m === '' || cost.parallelism < 1 || cost.memoryCost < 8 * cost.parallelism)
    throw new MillbookError(`the cost of argon2id is given as ${DEFAULT_COST} (KiB, passes, threads), not ${text}`)
  if (cost.memoryCost < 7168 || cost.memoryCost * cost.timeCost < LEAST_WORK)
    throw new MillbookError(
      `argon2id with ${text} is too cheap to guess against: memory × passes is at least ${LEAST_WORK}, memory at least 7168`,
    )
  return cost
}

let cost = argon2Cost(DEFAULT_COST)
let nobody: Promise<string> | undefined

/** The cost of the secrets that this process makes from now on. */
export function useArgon2Cost(text: string): void {
  cost = argon2Cost(text)
  nobody = undefined
}

/** For passwords and client secrets: argon2id, which is what the library does by default. */
export const hashSecret = (secret: string): Promise<string> => hash(secret, cost)

/**
 * Checks a secret; where there is no hash to check against, takes as long as if there were one and says no. `instead` is
 * the hash of someone else: one that costs what hashes here cost.
 */
export async function checkSecret(stored: string | undefined, secret: string, instead?: string): Promise<boolean> {
  if (stored !== undefined) return await verify(stored, secret)
  nobody ??= hashSecret(newSecret())
  await verify(instead ?? (await nobody), secret)
  return false
}

/** For tokens, which are random enough not to need more. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
