/** Hashes of secrets that take no time. A stored hash includes its cost, so checking it takes none either. */
import { argon2 } from '../../src/access/secrets.js'

const { hash } = argon2

/** Secrets that `work` stores get cheap hashes. */
export async function withCheapHashes<T>(work: () => Promise<T>): Promise<T> {
  argon2.hash = (secret) => hash(secret, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  try {
    return await work()
  } finally {
    argon2.hash = hash
  }
}
