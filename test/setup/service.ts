/** The production app on a test database, with a caller that has a token. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { type ClientSettings, createClient } from '../../src/access/clients.js'
import { newSecret } from '../../src/access/secrets.js'
import { createUser } from '../../src/access/users.js'
import type { Db } from '../../src/db/connect.js'
import { reports } from '../../src/reports/index.js'
import { type AppOptions, buildApp } from '../../src/runtime/app.js'
import { openTestDatabase, type TestDatabase } from './database.js'
import { withCheapHashes } from './hashes.js'

export interface Credentials {
  client_id: string
  client_secret: string
  username: string
  password: string
}

export interface Caller extends Credentials {
  token: string
  refreshToken: string
}

export interface Request {
  method?: 'GET' | 'POST'
  path: string
  query?: Record<string, string | number | readonly string[]>
  body?: unknown
  headers?: Record<string, string>
  /** The default caller's token unless given; null for none. */
  token?: string | null
}

export interface Service {
  app: FastifyInstance
  database: TestDatabase
  db: Db
  caller: Caller
  call(request: Request): Promise<LightMyRequestResponse>
  /** Its secrets have cheap hashes unless they are to cost as much as in production. */
  newCaller(about?: Partial<ClientSettings>, hashes?: 'cheap' | 'real'): Promise<Caller>
  close(): Promise<void>
}

export async function startService(options: Partial<AppOptions> = {}, given?: TestDatabase): Promise<Service> {
  const database = given ?? (await openTestDatabase())
  // Without a lease each request reads the version, because tests change the data without waiting for leases.
  const app = await buildApp({ database, reports, logLevel: 'silent', leaseMs: 0, ...options })

  async function newCaller(about: Partial<ClientSettings> = {}, hashes: 'cheap' | 'real' = 'cheap'): Promise<Caller> {
    const name = newSecret().slice(0, 12)
    const password = newSecret()
    const create = () =>
      database.db.begin(async (tx) => {
        await createUser(tx, name, password)
        return await createClient(tx, { name, ...about })
      })
    const client = await (hashes === 'cheap' ? withCheapHashes(create) : create())
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret, username: name, password }
    const answer = await app.inject({
      method: 'POST',
      url: '/oauth2/token',
      payload: { grant_type: 'password', ...credentials },
    })
    const { access_token, refresh_token } = answer.json()
    return { ...credentials, token: access_token, refreshToken: refresh_token }
  }

  const caller = await newCaller()
  return {
    app,
    database,
    db: database.db,
    caller,
    newCaller,
    call: ({ method, path, query = {}, body, headers = {}, token = caller.token }) =>
      app.inject({
        method: method ?? reports.find((report) => report.path === path)?.method ?? 'GET',
        url: path,
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value].flat().map(String)])),
        headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
        ...(body !== undefined && { payload: body as object }),
      }),
    close: async () => {
      await app.close()
      await database.drop()
    },
  }
}
