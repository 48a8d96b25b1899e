/** The console in a real Chromium, against a real service with the sample company. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { newTicket } from '../../src/access/sessions.js'
import { createUser, type UserSettings } from '../../src/access/users.js'
import type { SampleOptions } from '../../src/demo/sample.js'
import { objectWords } from '../../src/object-words.js'
import { reports } from '../../src/reports/index.js'
import type { AppOptions } from '../../src/runtime/app.js'
import { today as todayIn } from '../oracle/calendar.js'
import { startChromium } from './chromium.js'
import { openSample } from './database.js'
import { withCheapHashes } from './hashes.js'
import { type Service, startService } from './service.js'
import { long } from './tier.js'

export interface Console {
  readonly service: Service
  readonly browser: Browser
  readonly base: string
  readonly today: string
  readonly operator: { readonly username: string; readonly password: string }
  /** A page of a new browser. */
  newPage(options?: Parameters<Browser['newContext']>[0]): Promise<Opened>
  /** A page of a new browser, signed in. */
  signedIn(path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<Opened>
  newUser(username: string, rights?: Partial<UserSettings>): Promise<string>
  close(): Promise<void>
}

export interface Opened {
  readonly context: BrowserContext
  readonly page: Page
  /** Errors of scripts, refusals of the page's policy, and requests to other hosts. */
  readonly errors: string[]
}

/** Without a sample the company is empty. */
export async function startConsole(
  sample?: Omit<SampleOptions, 'today'>,
  options?: Partial<AppOptions>,
): Promise<Console> {
  const today = todayIn('Asia/Kolkata') // the zone of the sample company
  const service = await startService(options, sample && (await openSample({ today, ...sample })))
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const chromium = await startChromium()
  const { browser } = chromium
  const newUser = async (username: string, rights: Partial<UserSettings> = {}) => {
    const password = `the word of ${username}`
    await withCheapHashes(() => service.db.begin((tx) => createUser(tx, username, password, rights)))
    return password
  }
  const operator = { username: 'asha', password: await newUser('asha', { role: 'operator' }) }

  async function newPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Opened> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(40_000)
    const errors: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy|refused to/i.test(message.text())) errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(error.stack ?? error.message))
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(base) && !url.startsWith('blob:')) errors.push(`a request to ${url}`)
    })
    return { context, page, errors }
  }

  return {
    ...{ service, browser, base, today, operator, newPage, newUser },
    async signedIn(path = '/', options) {
      const opened = await newPage(options)
      // By a link: loading the page of the form takes longer than most tests.
      const ticket = await service.db.begin((tx) => newTicket(tx, operator.username))
      const session = await opened.context.request.post(`${base}/session/open`, {
        ...{ headers: { origin: base }, data: { ticket } },
      })
      expect(session.status()).toBe(204)
      await opened.page.goto(base + path)
      await opened.page.locator('.rail').waitFor({ state: 'attached' })
      return opened
    },
    async close() {
      await chromium.close()
      await service.close()
    },
  }
}

/** One console for all tests of a file; in the long tier with a company of usual size. */
export function consoleForFile(options: Parameters<Browser['newContext']>[0] = {}) {
  const the = {} as Console
  let shared: Opened
  const signInShared = async () => {
    shared = await the.signedIn('/operate/loads', options)
  }
  beforeAll(async () => {
    Object.assign(the, await startConsole({ scale: long ? 1 : 0.1, months: long ? 12 : 3 }))
    await signInShared()
  }, 600_000)
  afterAll(async () => {
    await the.close?.()
  })
  return {
    the,
    /** Opens a path in the shared page that stays signed in. */
    async open(path: string): Promise<Opened> {
      await shared.page.goto(the.base + path)
      return shared
    },
    /** Signs the shared page in again, after a test that ended its session. */
    signInShared,
    /** Closes this page after the test. */
    async fresh(opened: Promise<Opened>): Promise<Opened> {
      const found = await opened
      onTestFinished(() => found.context.close())
      return found
    },
  }
}

export async function signIn(
  page: Page,
  { username, password }: { username: string; password: string },
): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.rail').waitFor({ state: 'attached' })
}

/** Waits until the table has its rows, and returns their shown number. */
export async function rowsShown(page: Page): Promise<number> {
  await page.locator('.grid[aria-busy=false], .main > .state').first().waitFor()
  const text = (await page.locator('.status strong').first().textContent()) ?? ''
  return Number(text.replace(/[^\d]/g, ''))
}

/** The cells of a row as they are shown, by the field's name. */
export const cellsOf = (page: Page, row: number): Promise<Record<string, string>> =>
  page.evaluate(`(() => {
    const fields = [...document.querySelectorAll('.grid .head .cell')].map((cell) => cell.dataset.field)
    const found = document.querySelector('.grid .row[aria-rowindex="${row + 2}"]')
    return Object.fromEntries([...(found?.querySelectorAll('.cell') ?? [])].map((cell, at) => [fields[at], cell.textContent]))
  })()`)

interface Shown {
  readonly text: string
  /** The value that copying gives. */
  readonly raw: string
}

/** The cells of a row as they are shown and as they are copied, by the field's name. */
export const rowOf = (page: Page, row: number): Promise<Record<string, Shown>> =>
  page.evaluate(`(() => {
    const fields = [...document.querySelectorAll('.grid .head .cell')].map((cell) => cell.dataset.field)
    const found = document.querySelector('.grid .row[aria-rowindex="${row + 2}"]')
    return Object.fromEntries([...(found?.querySelectorAll('.cell') ?? [])].map((cell, at) => {
      const shown = cell.querySelector('[data-raw]')
      return [fields[at], { text: cell.textContent, raw: shown?.dataset.raw ?? cell.textContent }]
    }))
  })()`)

/** The text that the console copies for a value of the JSON. */
function copiedAs(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value) && value.every((one) => typeof one === 'object'))
    return `${value.length} ${value.length === 1 ? 'line' : 'lines'}`
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? objectWords(value as Record<string, unknown>) : String(value)
}

/** A shown number without its grouping; any other text unchanged. */
export const plain = (text: string): string =>
  /^−?[\d,]+(\.\d+)?$/.test(text) ? text.replaceAll(',', '').replace('−', '-') : text

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)

export type Row = Record<string, unknown>

/** From the first of the month a year ago until today. */
export const wideRange = ({ today }: Console) => ({
  from_date: `${Number(today.slice(0, 4)) - 1}${today.slice(4, 8)}01`,
  to_date: today,
})

/** All records of a report, from the API. */
export async function recordsOf(
  { service }: Console,
  id: string,
  values: Row,
  query: Record<string, string | string[]> = {},
): Promise<Row[]> {
  const report = reports.find((one) => one.id === id)
  if (report === undefined) throw new Error(id)
  const { method, path } = report
  const asked = method === 'GET' ? { query: { ...values, ...query } as never } : { query, body: values }
  const headers = { accept: 'application/x-ndjson' }
  const response = await service.call({ method, path, ...asked, token: service.caller.token, headers })
  expect(response.statusCode).toBe(200)
  return (
    response.body
      .split('\n')
      .filter(Boolean)
      // The one amount that is a JSON number keeps its digits too.
      .map((line) => JSON.parse(line.replace(/"final_amt":(-?[\d.]+)/, '"final_amt":"$1"')) as Row)
  )
}

/** The path of a report's page. */
export const pathOf = (id: string, values: Row, more: Record<string, string> = {}): string =>
  `/reports/${id}?${new URLSearchParams({ ...(values as Record<string, string>), ...more })}`

const at = (row: Row, name: string): unknown =>
  name.split('.').reduce<unknown>((value, part) => (value as Row | null)?.[part], row)

/** Expects the cells of a row to equal the JSON: copied as they are sent, and shown with every digit but zeros at the end. */
export function expectRow(shown: Record<string, Shown>, row: Row | undefined): void {
  expect(Object.keys(shown).length).toBeGreaterThan(0)
  for (const [name, { text, raw }] of Object.entries(shown)) {
    const value = copiedAs(at(row ?? {}, name))
    expect([name, raw]).toEqual([name, value])
    if (/^-?\d+(\.\d+)?$/.test(value)) expect([name, withoutZeros(plain(text))]).toEqual([name, withoutZeros(value)])
  }
}

/** Scrolls to the end, and waits until the last row is drawn. */
export async function toLastRow(page: Page, total: number): Promise<void> {
  await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 1e9 }))
  await page
    .locator(`.grid .row[aria-rowindex="${total + 1}"] .cell:not(:has(.skeleton))`)
    .first()
    .waitFor()
}
