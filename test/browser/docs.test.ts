/** The API reference, as a person with a browser and without the internet sees it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findChromium } from '../../scripts/test-needs.mjs'
import { type Service, startService } from '../setup/service.js'

let service: Service
let browser: Browser
let base: string
const home = mkdtempSync(join(tmpdir(), 'millbook-browser-'))
beforeAll(async () => {
  service = await startService()
  base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no Chromium found: run node scripts/test-needs.mjs')
  browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
    env: { ...process.env, HOME: home } as Record<string, string>,
  })
})
afterAll(async () => {
  await browser?.close()
  await service?.close()
  rmSync(home, { recursive: true, force: true })
})

/** A page, and the requests that it sends to other hosts. */
async function newPage() {
  const page = await browser.newPage()
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url())
  })
  return { page, elsewhere }
}

it('/docs shows every endpoint, from this service alone and without an error', async () => {
  const { page, elsewhere } = await newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(`${base}/docs`)
  await page.getByText('Stock of finished and semi-finished goods').first().waitFor()
  await page.getByText('Warehouses').first().waitFor()
  await page.getByText('Purchase orders with lines and approvals').first().waitFor()
  await page.getByText('Obtain or refresh an access token').first().waitFor()
  await page.waitForTimeout(1000)
  expect(elsewhere).toEqual([])
  expect(errors).toEqual([])
})

it('/ leads to the reference, from this service alone', async () => {
  const { page, elsewhere } = await newPage()
  await page.goto(`${base}/`)
  await page.getByRole('link', { name: 'API', exact: true }).click()
  await page.getByText('Warehouses').first().waitFor()
  expect(elsewhere).toEqual([])
})
