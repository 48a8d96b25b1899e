/** A full run at every log level: neither the log nor any other output of the service contains a secret. */
import { expect, it, onTestFinished } from 'vitest'
import { makeTarget } from '../setup/database.js'
import { type Demo, run, start } from '../setup/program.js'

it('no log and no error message contains a secret', async () => {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(drop)
  const json = async (...args: string[]) => JSON.parse((await run([...args, '--json', ...flags])).stdout)
  const grants = 'password,refresh_token,client_credentials'
  const client = await json('client', 'create', 'partner', '--grants', grants)
  const user = await json('user', 'create', 'asha')
  const secrets: string[] = [client.client_secret, user.password, 'wrong-secret', 'wrong-password']

  const served = start(['serve', '--port', '0', '--json', '--log-level', 'trace', ...flags])
  const demo: Demo = { ...client, ...user, ...JSON.parse(await served.firstLine) }
  const send = async (path: string, body: object | string, headers: Record<string, string> = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = { 'content-type': 'application/json' }
    const sent = { method: 'POST', body: text, headers: { ...type, ...headers } }
    const response = await fetch(`${demo.base_url}${path}`, sent)
    const issued = path === '/oauth2/token' && response.ok
    if (!issued) responses += await response.clone().text()
    return response
  }
  /** The texts of all responses except responses that issue tokens. */
  let responses = ''
  const { client_id, client_secret, username, password } = demo
  const id = { client_id, client_secret }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const basic = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
  secrets.push(basic.authorization.slice(6))

  const signedIn = (await (
    await send('/oauth2/token', { grant_type: 'password', ...id, username, password })
  ).json()) as {
    access_token: string
    refresh_token: string
  }
  const { access_token, refresh_token } = signedIn
  secrets.push(access_token, refresh_token)
  const machine = await send('/oauth2/token', 'grant_type=client_credentials', { ...form, ...basic })
  secrets.push(((await machine.json()) as { access_token: string }).access_token)
  expect(secrets.every((secret) => typeof secret === 'string' && secret.length > 8)).toBe(true)

  // Correct requests, wrong requests, and requests with a secret in the wrong place.
  const bearer = { authorization: `Bearer ${access_token}` }
  await send('/oauth2/token', { grant_type: 'refresh_token', ...id, refresh_token })
  await send('/oauth2/token', { grant_type: 'password', ...id, username, password: 'wrong-password' })
  await send('/oauth2/token', { grant_type: 'password', ...id, username: password, password: username })
  await send('/oauth2/token', { grant_type: 'password', ...id, client_secret: 'wrong-secret', username, password })
  await send('/oauth2/token', `grant_type=password&client_secret=${client_secret}&client_secret=x`, form)
  await send('/oauth2/token', `{"client_secret":"${client_secret}","password":"${password}"`)
  await send(`/oauth2/token?client_secret=${client_secret}&password=${password}`, {})
  await send('/v1/inventory/material', {}, bearer)
  await send(`/v1/inventory/material?access_token=${access_token}`, { password, client_secret }, bearer)
  await send(`/v1/nothing?access_token=${access_token}`, { access_token }, bearer)
  await send('/v1/inventory/material', {}, { authorization: `Bearer ${access_token}x` })
  await send('/v1/inventory/material', {}, { authorization: `Token ${access_token}`, cookie: `token=${access_token}` })
  const made = await fetch(`${demo.base_url}/v1/app-passwords`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json', ...bearer }, body: '{"name":"Workbook"}' },
  })
  const { app_password } = (await made.json()) as { app_password: string }
  secrets.push(app_password)
  const asBasic = (user: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
  })
  await send('/v1/inventory/material', {}, asBasic(username, app_password))
  await send('/v1/inventory/material', {}, asBasic(app_password, app_password))
  await send('/v1/inventory/material', {}, asBasic(username, password))
  await send(`/v1/app-passwords?app_password=${app_password}`, { app_password }, bearer)
  await send('/oauth2/revoke', { ...id, token: access_token })
  // Another worker may take a moment to notice.
  await expect.poll(async () => (await send('/v1/inventory/material', {}, bearer)).status).toBe(401)

  served.process.kill('SIGTERM')
  const { stdout, stderr } = await served.ended
  expect(responses).toContain('invalid_grant')
  expect(stderr.split('\n').length, 'a line for each request').toBeGreaterThan(15)
  for (const secret of secrets) {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')]
    for (const text of forms)
      expect([text.slice(0, 4), (stdout + stderr + responses).includes(text)]).toEqual([text.slice(0, 4), false])
  }

  // The output of administration contains no secret either.
  const told = [await run(['audit', ...flags]), await run(['client', 'show', 'partner', ...flags])]
  for (const secret of secrets) expect(told.some((each) => (each.stdout + each.stderr).includes(secret))).toBe(false)
})
