/** Signing in with a real browser, whose cookies, policies and redirects no other test has. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createPublicClient } from '../../src/access/clients.js'
import { newSecret } from '../../src/access/secrets.js'
import { challengeOf, newTicket } from '../../src/access/sessions.js'
import { hiddenFields } from '../setup/browser.js'
import { type Chromium, startChromium } from '../setup/chromium.js'
import { type Service, startService } from '../setup/service.js'

let service: Service
let chromium: Chromium
let base: string
beforeAll(async () => {
  service = await startService()
  base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  chromium = await startChromium()
})
afterAll(async () => {
  await chromium?.close()
  await service?.close()
})

/** A page in a browser without cookies, and the errors that it reports. */
async function newPage() {
  const context = await chromium.browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|refused/i.test(message.text())) errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  return { context, page, errors }
}

/** Another site: it serves one page, and records its requests. */
async function otherSite(body = '') {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url as string)
    response.setHeader('content-type', 'text/html').end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { asked, port: (server.address() as AddressInfo).port }
}

it('a person signs in to the console, with a token that no script can read, and signs out', async () => {
  const { context, page, errors } = await newPage()
  const { username, password } = service.caller
  await page.goto(`${base}/session/begin?return=/`)
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill('a wrong one')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Username').inputValue()).toBe(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${base}/`)
  expect(await page.evaluate('document.cookie')).toBe('')
  const [session] = (await context.cookies()).filter(({ name }) => name === 'millbook-session')
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
  const used = await page.evaluate(async () => {
    const { csrf, username } = (await (await fetch('/session')).json()) as { csrf: string; username: string }
    const report = (headers: Record<string, string>) => fetch('/v1/warehouse/warehouse-list', { headers })
    const token = { 'x-csrf-token': csrf }
    const statuses = [(await report({})).status, (await report(token)).status]
    const end = await fetch('/session/end', { method: 'POST', headers: token })
    return { username, statuses: [...statuses, end.status, (await fetch('/session')).status] }
  })
  expect(used).toEqual({ username, statuses: [403, 200, 204, 401] })
  expect(errors).toEqual([])
})

it('a program gets its code by the redirect that follows the form', async () => {
  const { page, errors } = await newPage()
  const program = await otherSite('done')
  const { clientId } = await service.db.begin((tx) =>
    createPublicClient(tx, { name: 'A program', redirectUris: ['http://127.0.0.1/callback'] }),
  )
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, state: 'x', code_challenge_method: 'S256' },
    ...{ redirect_uri: `http://127.0.0.1:${program.port}/callback`, code_challenge: challengeOf(newSecret()) },
  })
  await page.goto(`${base}/oauth2/authorize?${query}`)
  await page.getByLabel('Username').fill(service.caller.username)
  await page.getByLabel('Password').fill(service.caller.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('done').waitFor()
  expect(program.asked[0]).toMatch(/^\/callback\?code=[\w-]{43}&state=x&iss=/)
  expect(errors).toEqual([])
})

it('a form of another site signs nobody in, and its requests carry no session', async () => {
  const { page, context } = await newPage()
  const { username, password } = service.caller
  await page.goto(`${base}/session/begin?return=/`)
  const fields = Object.entries(hiddenFields(await page.content()))
  const inputs = [...fields, ['username', username], ['password', password]]
    .map(([name, value]) => `<input name="${name}" value="${value}">`)
    .join('')
  const evil = await otherSite(
    `<form method="post" action="${base}/oauth2/authorize">${inputs}<button>go</button></form>`,
  )
  await page.goto(`http://localhost:${evil.port}/`)
  const [response] = await Promise.all([page.waitForResponse(/authorize/), page.getByRole('button').click()])
  expect(response.status()).toBe(403)
  expect((await context.cookies()).map(({ name }) => name)).not.toContain('millbook-session')

  const ticket = await service.db.begin((tx) => newTicket(tx, username))
  await page.goto(`${base}/`)
  const opened = await page.evaluate(async (ticket) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch('/session/open', { method: 'POST', headers, body: JSON.stringify({ ticket }) })).status
  }, ticket)
  expect(opened).toBe(204)
  await page.goto(`http://localhost:${evil.port}/`)
  const sent = page.waitForRequest(`${base}/session`)
  await page.evaluate(
    (url) => fetch(url, { credentials: 'include', mode: 'no-cors' }).catch(() => {}),
    `${base}/session`,
  )
  expect(await (await sent).headerValue('cookie')).toBeNull()
})
