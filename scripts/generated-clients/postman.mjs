/** openapi-to-postmanv2 makes a Postman collection of all requests, newman runs it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './client.mjs'

/** @type {import('./client.mjs').Client} */
export default {
  name: 'postman',
  missing: () => undefined,
  async run(folder, { base_url, credentials, document }) {
    const tool = await npm(folder, ['openapi-to-postmanv2@6.3.3', 'newman@6.2.2'])
    const options = 'parametersResolution=Example,enableOptionalParameters=false'
    await tool('openapi2postmanv2', '-s', document, '-o', 'made.json', '-O', options)
    const [token, other] = [await tokenFor(base_url, credentials), await tokenFor(base_url, credentials)]
    const filled = readFileSync(join(folder, 'made.json'), 'utf8')
      .replaceAll('<CLIENT_ID>', credentials.client_id)
      .replaceAll('<CLIENT_SECRET>', credentials.client_secret)
      .replaceAll('<ACCOUNT_USERNAME>', credentials.username)
      .replaceAll('<ACCOUNT_PASSWORD>', credentials.password)
      .replaceAll('<ACCESS_TOKEN>', other) // a separate token, because one of the requests revokes it
    writeFileSync(join(folder, 'collection.json'), filled)
    const flags = ['--env-var', `bearerToken=${token}`, '--reporters', 'json', '--reporter-json-export', 'run.json']
    await tool('newman', 'run', 'collection.json', ...flags)
    /** @type {{ run: { executions: { item: { name: string }, response?: { code: number } }[] } }} */
    const { run } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))
    /** @type {{ summary: string, security?: object[] }[]} */
    const operations = Object.values(JSON.parse(readFileSync(document, 'utf8')).paths).flatMap(Object.values)
    // Operations of the administration need a console session and refuse the token.
    const inSession = new Set(
      operations.filter(({ security = [] }) => security.some((one) => 'session' in one)).map(({ summary }) => summary),
    )
    if (run.executions.length !== operations.length)
      throw new Error(`it made ${run.executions.length} requests of ${operations.length} operations`)
    return run.executions.map(({ item, response }) => ({
      what: item.name,
      problem:
        response?.code === (inSession.has(item.name) ? 401 : 200) ? undefined : `the status is ${response?.code}`,
    }))
  },
}

async function tokenFor(/** @type {string} */ base, /** @type {object} */ credentials) {
  const response = await fetch(`${base}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grant_type: 'password', ...credentials }),
  })
  return /** @type {{ access_token: string }} */ (await response.json()).access_token
}
