/** The API reference in a browser without the internet. */
import { afterAll, beforeAll, expect, it } from 'vitest'
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

/** A page, and the requests that it sends to other hosts. */
async function newPage() {
  const page = await chromium.browser.newPage()
  page.setDefaultTimeout(90_000) // the reference is 3 MB of script, and other tests run at the same time
  const elsewhere: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) elsewhere.push(request.url())
  })
  return { page, elsewhere }
}

it('/docs shows every endpoint, without requests to other hosts and without an error', async () => {
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

it('/ leads to the reference, without requests to other hosts', async () => {
  const { page, elsewhere } = await newPage()
  await page.goto(`${base}/`)
  await page.getByRole('link', { name: 'API', exact: true }).click()
  await page.getByText('Warehouses').first().waitFor()
  expect(elsewhere).toEqual([])
})
