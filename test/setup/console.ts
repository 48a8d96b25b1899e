/** The console in a real Chromium, against a real service with the sample company. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../scripts/test-needs.mjs'
import { createUser, type UserSettings } from '../../src/access/users.js'
import { loadSample, type SampleOptions } from '../../src/demo/sample.js'
import type { AppOptions } from '../../src/runtime/app.js'
import { type Service, startService } from './service.js'

export interface Console {
  readonly service: Service
  readonly browser: Browser
  readonly base: string
  readonly today: string
  readonly operator: { readonly username: string; readonly password: string }
  /** A page of a browser that was never here. */
  newPage(options?: Parameters<Browser['newContext']>[0]): Promise<Opened>
  /** The same, signed in. */
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

export async function startConsole(
  sample: Omit<SampleOptions, 'today'>,
  options?: Partial<AppOptions>,
): Promise<Console> {
  const home = mkdtempSync(join(tmpdir(), 'millbook-browser-'))
  const service = await startService(options)
  const today = new Date().toISOString().slice(0, 10)
  await loadSample(service.database, { today, ...sample })
  const base = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('no Chromium found: run node scripts/test-needs.mjs')
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    env: { ...process.env, HOME: home } as Record<string, string>,
  })
  const newUser = async (username: string, rights: Partial<UserSettings> = {}) => {
    const password = `the word of ${username}`
    await service.db.begin((tx) => createUser(tx, username, password, rights))
    return password
  }
  const operator = { username: 'asha', password: await newUser('asha', { role: 'operator' }) }

  async function newPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Opened> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
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
      await opened.page.goto(base + path)
      await signIn(opened.page, operator)
      return opened
    },
    async close() {
      await browser.close()
      await service.close()
      rmSync(home, { recursive: true, force: true })
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

/** Waits until the table has its rows, and returns how many it says there are. */
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

/** What the console shows for a value of the JSON. */
export function shownAs(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value) && value.every((one) => typeof one === 'object'))
    return ` ${value.length} ${value.length === 1 ? 'line' : 'lines'}`
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** A shown number without its grouping; any other text as it is. */
export const plain = (text: string): string =>
  /^−?[\d,]+(\.\d+)?$/.test(text) ? text.replaceAll(',', '').replace('−', '-') : text
