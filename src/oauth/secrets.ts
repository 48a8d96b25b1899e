/** Secrets: made here, stored only as hashes. */
import { createHash, randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/** 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** For passwords and client secrets: argon2id with the library's defaults (19 MiB, 2 passes; OWASP's first choice). */
export const hashSecret = (secret: string): Promise<string> => hash(secret)

/** Checks a secret; where there is no hash to check against, takes as long as if there were one and says no. */
export async function checkSecret(stored: string | undefined, secret: string): Promise<boolean> {
  const ok = await verify(stored ?? (await nobody), secret)
  return stored !== undefined && ok
}
const nobody = hashSecret(newSecret())

/** For tokens, which are random enough not to need more. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
