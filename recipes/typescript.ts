/**
 * Fetches all invoices of a period with the typed client, adds them up exactly, then fetches the changes since the last run.
 *
 * Run:      node typescript.ts               (Node 24; compile it with tsc for older ones)
 * Needs:    Millbook's package: run `npm pack` in Millbook, then `npm install` the file here
 * Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
 *           MILLBOOK_FROM, MILLBOOK_TO: the first and the last day, as YYYY-MM-DD
 *
 * The client gets and refreshes tokens, follows the pages of one version, and waits after 429 and 503.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { GoneError, Millbook } from 'millbook/client'

const TOKEN_FILE = 'invoices.token'

const env = (name: string): string => {
  const value = process.env[name]
  if (!value) throw new Error(`set ${name}`)
  return value
}

const millbook = new Millbook({
  url: env('MILLBOOK_URL'),
  auth: {
    clientId: env('MILLBOOK_CLIENT_ID'),
    clientSecret: env('MILLBOOK_CLIENT_SECRET'),
    username: env('MILLBOOK_USERNAME'),
    password: env('MILLBOOK_PASSWORD'),
  },
  onRetry: ({ reason, milliseconds }) =>
    console.error(`${reason}; trying again in ${Math.ceil(milliseconds / 1000)} s`),
})
const invoices = millbook.sales.invoices({
  from_date: env('MILLBOOK_FROM'),
  to_date: env('MILLBOOK_TO'),
})

/** A decimal with two digits as a whole number of hundredths, so that sums are exact. */
const hundredths = (text: string): bigint => BigInt(text.replace('.', ''))
const inWords = (amount: bigint): string => {
  const digits = String(amount < 0n ? -amount : amount).padStart(3, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

let [count, total] = [0, 0n]
for (const { total_amt } of await invoices.all()) {
  count++
  total += hundredths(total_amt)
}
console.log(`${count} invoices, total_amt ${inWords(total)}`)

/** Fetches the changes since the last run. `store` writes them where you keep the records, for example into your database. */
async function follow(store: (upserts: readonly object[], removed: readonly object[]) => void): Promise<void> {
  const token = existsSync(TOKEN_FILE) ? readFileSync(TOKEN_FILE, 'utf8') : 'start'
  const changes = await invoices.changesSince(token)
  store(changes.records, changes.removed)
  writeFileSync(`${TOKEN_FILE}.part`, changes.token) // after store: a crash in between repeats the changes and loses none
  renameSync(`${TOKEN_FILE}.part`, TOKEN_FILE)
}

const print = (upserts: readonly object[], removed: readonly object[]) =>
  console.log(`${upserts.length} new or changed, ${removed.length} removed`)
try {
  await follow(print)
} catch (error) {
  if (!(error instanceof GoneError)) throw error
  rmSync(TOKEN_FILE) // the token has expired: delete all stored records, and fetch everything again
  await follow(print)
}
