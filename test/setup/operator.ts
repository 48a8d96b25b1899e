/** An operator in the console: a browser with a session, and requests to the administration API. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { newSecret } from '../../src/access/secrets.js'
import { newTicket } from '../../src/access/sessions.js'
import { createUser, type Role } from '../../src/access/users.js'
import type { Db } from '../../src/db/connect.js'
import { Browser } from './browser.js'
import { withCheapHashes } from './hashes.js'

export interface Operator {
  username: string
  browser: Browser
  csrf: string
  /** Sends a request below /v1/admin, with the CSRF token. */
  ask(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<LightMyRequestResponse>
}

export async function newOperator(app: FastifyInstance, db: Db, role: Role = 'operator'): Promise<Operator> {
  const username = `${role}-${newSecret().slice(0, 8)}`
  const ticket = await db.begin(async (tx) => {
    await withCheapHashes(() => createUser(tx, username, newSecret(), { role }))
    return await newTicket(tx, username)
  })
  const browser = new Browser(app)
  await browser.post('/session/open', { json: { ticket } })
  const { csrf } = (await browser.send('/session')).json()
  return {
    ...{ username, browser, csrf },
    ask: (method, path, body) =>
      browser.send(`/v1/admin${path}`, {
        ...{ method, headers: { 'x-csrf-token': csrf } },
        ...(body !== undefined && { json: body }),
      }),
  }
}
