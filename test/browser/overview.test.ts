/** The overview: few requests for each role, links to what a pin says, and pins that people arrange and find on every machine. */
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { STARTS } from '../../src/views/pins.js'
import { consoleForFile, type Opened, plain, recordsOf, signIn } from '../setup/console.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile()

/** The largest number of requests under /v1 that an overview makes, beside that of the catalogue. */
const MOST_REQUESTS = 12

/** Waits until every pin has its answer. */
async function settled(page: Page): Promise<void> {
  await page.locator('.pin').first().waitFor()
  await expect.poll(() => page.locator('.pin [aria-busy=true]').count()).toBe(0)
}

const titles = (page: Page): Promise<string[]> =>
  page.locator('.board > .pin').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))

const pinNamed = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

/** A page of a new user, or of this one on another machine. */
async function pageOf(username: string, groups: readonly string[] | null = null): Promise<Opened> {
  const password = `the word of ${username}`
  const [known] = await the.service.db`select from api_user where username = ${username}`
  if (known === undefined) await the.newUser(username, { groups: groups as never })
  const opened = await fresh(the.newPage({ viewport: { width: 1440, height: 900 } }))
  await opened.page.goto(the.base)
  await signIn(opened.page, { username, password })
  await settled(opened.page)
  return opened
}

/** The next change reaches the service. */
const kept = (page: Page) =>
  page.waitForResponse((response) => response.url().endsWith('/v1/overview') && response.request().method() === 'PUT')

describe('each role', () => {
  it.each(long ? STARTS : STARTS.slice(0, 1))(
    '%s: at most 12 requests, every pin has its answer, and no line has a hole',
    async (start) => {
      const { page, errors } = await open('/')
      await settled(page)
      await page.getByRole('button', { name: 'Start from …' }).click()
      const done = kept(page)
      await page.getByRole('button', { name: new RegExp(`^${start}`, 'i') }).click()
      expect((await done).status()).toBe(200)
      const asked: string[] = []
      const count = (request: { url(): string }) => void asked.push(request.url().slice(the.base.length))
      page.on('request', count)
      onTestFinished(() => void page.off('request', count))
      await page.reload()
      await settled(page)
      await page.waitForLoadState('networkidle')
      // The page before may still have asked for something.
      const ofThisPage = asked.slice(asked.indexOf('/v1/overview'))
      const counted = ofThisPage.filter((path) => path.startsWith('/v1/') && path !== '/v1/reports')
      expect(counted.length, counted.join('\n')).toBeLessThanOrEqual(MOST_REQUESTS)
      expect(counted.length).toBeGreaterThan(5)
      expect(counted.filter((path) => /per-page=\d{4}/.test(path))).toEqual([]) // whole reports stay on the service
      expect(await page.locator('.pin .failed').allTextContents()).toEqual([])
      expect(await page.locator('.board').textContent()).not.toMatch(/NaN|undefined|Infinity|\[object/)
      await expectFullLines(page)
      expect(errors).toEqual([])
    },
  )

  inLongTier('a reader of stock only sees an overview of stock: no empty places, and no refused request', async () => {
    const password = await the.newUser('stores', { groups: ['inventory'] })
    const { page } = await fresh(the.newPage({ viewport: { width: 1440, height: 900 } }))
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await page.goto(the.base)
    await signIn(page, { username: 'stores', password })
    await settled(page)
    expect(await titles(page)).toEqual([
      ...['Finished goods', 'Raw materials', 'Packing materials', 'Stock on hold'],
      ...['Stock value', 'Stock below zero', 'Nothing issued for 90 days'],
    ])
    expect(refused).toEqual([])
    await expectFullLines(page)
  })
})

/** The pins of each line reach from the left edge to the right edge. */
async function expectFullLines(page: Page): Promise<void> {
  const lines = (await page.evaluate(`(() => {
    const board = document.querySelector('.board').getBoundingClientRect()
    const lines = new Map()
    for (const pin of document.querySelectorAll('.board > .pin')) {
      const { left, right, top } = pin.getBoundingClientRect()
      const [from, to] = lines.get(Math.round(top)) ?? [Infinity, 0]
      lines.set(Math.round(top), [Math.min(from, left - board.left), Math.max(to, right - board.left)])
    }
    return [...lines.values()].map(([from, to]) => [Math.round(from), Math.round(board.width - to)])
  })()`)) as [number, number][]
  expect(lines.length).toBeGreaterThan(1)
  for (const edges of lines) expect(edges.every((edge) => edge <= 7)).toBe(true)
}

describe('what a pin says', () => {
  it('a figure is the exact sum of its report, says its period and the one before, and opens its rows', async () => {
    const { page } = await pageOf('owner')
    const month = { from_date: `${the.today.slice(0, 8)}01`, to_date: the.today }
    const values = { tax: '0', source: 'INV', ...month }
    const rows = await recordsOf(the, 'sales.margin-by-day', values)
    const sum = rows.reduce((all, row) => all + BigInt(String(row['total_sale']).replace('.', '')), 0n)
    const value = pinNamed(page, 'Sales this month').locator('.value')
    const exact = ((await value.getAttribute('title')) ?? '').replace(/^\D*?(?=[−\d])/, '')
    expect(BigInt(plain(exact).replace('.', ''))).toBe(sum)
    const [totals = {}] = await recordsOf(the, 'sales.margin-by-day', values, { totals: 'yes', compare: 'month' })
    const change = Number(totals['total_sale__change'])
    const delta = pinNamed(page, 'Sales this month').locator('.delta')
    const sign = change > 0 ? '▲' : change < 0 ? '▼' : '='
    expect(await delta.textContent()).toContain(sign)
    if (change !== 0) expect(await delta.getAttribute('class')).toContain(change > 0 ? 'good' : 'bad')
    if (the.today.slice(8) > '01') expect(await pinNamed(page, 'Sales this month').textContent()).toContain('so far')
    expect(await pinNamed(page, 'Finished goods').locator('.delta').getAttribute('class')).toContain('neutral')
    await value.click()
    await page.locator('.grid[aria-busy=false], .main > .state').first().waitFor()
    const query = new URL(page.url()).searchParams
    expect(Object.fromEntries(query)).toMatchObject(values)
  })

  inLongTier('every line of a list is a link to its record, with the fields that the list shows', async () => {
    const { page } = await pageOf('owner')
    const list = pinNamed(page, 'Stock cannot cover')
    const year = { from_date: `${firstOfYear(the.today)}`, to_date: the.today }
    const query = { fields: 'all', filter: 'short_qty>0', sort: '-short_qty' }
    const rows = await recordsOf(the, 'sales.demand-status', { type: 'CONSOLIDATED', ...year }, query)
    expect(rows.length).toBeGreaterThan(0)
    const lines = list.locator('li a')
    expect(await lines.count()).toBe(Math.min(5, rows.length))
    for (const [at, line] of (await lines.all()).entries()) {
      const row = rows[at] ?? {}
      expect(await line.textContent()).toContain(String(row['product_name']))
      const shown = plain(((await line.locator('.amount').textContent()) ?? '').split(' ')[0] as string)
      expect(Number(shown)).toBe(Number(row['short_qty']))
      const link = new URL((await line.getAttribute('href')) ?? '', the.base).searchParams
      expect(link.get('fields')?.split(',')).toEqual(expect.arrayContaining(['available_qty', 'short_qty']))
      expect(link.getAll('filter')).toEqual(expect.arrayContaining([`product_sku=${row['product_sku']}`]))
    }
    await lines.first().click()
    await page.locator('.grid[aria-busy=false]').waitFor()
    expect(await page.locator('.status strong').first().textContent()).toMatch(/^1 /)
    await page.goBack()
    await settled(page)
    for (const link of await page.locator('.board .chart a').all())
      expect(await link.getAttribute('href')).toMatch(/^\/reports\//)
  })

  inLongTier('a pin that cannot be fetched says why and tries again; the others are there', async () => {
    const { page } = await pageOf('owner')
    const path = /\/v1\/production\/batches/
    await page.route(path, (route) => route.fulfill({ status: 500, json: { title: 'Broken on purpose' } }))
    await page.reload()
    await settled(page)
    const wrong = pinNamed(page, 'Yield this month')
    expect(await wrong.getByRole('alert').textContent()).toContain('Broken on purpose')
    expect(await page.getByRole('alert').count()).toBe(1)
    await page.unroute(path)
    await wrong.getByRole('button', { name: 'Try again' }).click()
    await wrong.locator('.value').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})

describe('an overview of one user', () => {
  inLongTier(
    'is pinned, renamed, turned, ordered and emptied by keyboard, and is the same on another machine',
    async () => {
      const { page, errors } = await pageOf('meera')
      const before = await titles(page)
      // Pin a report as a figure; the preview is the pin.
      await page.getByRole('button', { name: 'Add', exact: true }).press('Enter')
      await page.getByLabel('What to pin').selectOption({ label: 'Invoices' })
      await page.getByLabel('Title').fill('Rounding this month')
      await page.getByRole('combobox', { name: 'Figure' }).selectOption('round_amt')
      await page.locator('.preview .value').waitFor()
      let done = kept(page)
      await page.getByRole('button', { name: 'Pin', exact: true }).press('Enter')
      expect((await done).status()).toBe(200)
      expect(await titles(page)).toEqual([...before, 'Rounding this month'])
      // Move it by the arrow keys; the handle keeps the focus.
      await page.getByRole('button', { name: 'Arrange' }).press('Enter')
      const handle = page.getByRole('button', { name: 'Move Rounding this month' })
      await handle.focus()
      for (let at = before.length; at > 0; at--) {
        done = kept(page)
        await page.keyboard.press('ArrowLeft')
        await done
        expect(await handle.evaluate((element) => element.matches(':focus'))).toBe(true)
      }
      expect(await titles(page)).toEqual(['Rounding this month', ...before])
      await page.getByText('is now at place 1 of').waitFor({ state: 'attached' })
      // Rename it and show it as a chart.
      await page.getByRole('button', { name: 'Rounding this month: more' }).press('Enter')
      await page.getByRole('button', { name: 'Rename or show differently …' }).press('Enter')
      await page.getByRole('radio', { name: 'Chart' }).press('Space')
      await page.getByLabel('Title').fill('Invoices by month')
      await page.locator('.preview svg').waitFor()
      done = kept(page)
      await page.getByRole('button', { name: 'Keep' }).press('Enter')
      await done
      await pinNamed(page, 'Invoices by month').locator('svg.spark, figure svg').waitFor()
      // Remove another one, and bring it back.
      const removed = before.at(-1) as string
      for (const words of ['Remove', 'Undo']) {
        if (words === 'Remove') await page.getByRole('button', { name: `${removed}: more` }).press('Enter')
        done = kept(page)
        await page.getByRole('button', { name: words, exact: true }).press('Enter')
        await done
        expect((await titles(page)).includes(removed)).toBe(words === 'Undo')
      }
      const arranged = ['Invoices by month', ...before]
      expect(await titles(page)).toEqual(arranged)
      const other = await pageOf('meera')
      expect(await titles(other.page)).toEqual(arranged)
      const nobody = await pageOf('nobody-else')
      expect(await titles(nobody.page)).toEqual(before)
      expect(errors).toEqual([])
    },
  )

  inLongTier('the pointer drags a pin to another place; Escape gives it back', async () => {
    const { page } = await pageOf('drags')
    const before = await titles(page)
    await page.getByRole('button', { name: 'Arrange' }).click()
    const drag = async (from: string, to: string, isKept: boolean) => {
      const handle = await page.getByRole('button', { name: `Move ${from}` }).boundingBox()
      const target = await pinNamed(page, to).boundingBox()
      if (handle === null || target === null) throw new Error('not on the page')
      await page.mouse.move(handle.x + 4, handle.y + 4)
      await page.mouse.down()
      await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 5 })
      await expect.poll(() => titles(page)).not.toEqual(before)
      if (isKept) {
        const done = kept(page)
        await page.mouse.up()
        await done
      } else {
        await page.keyboard.press('Escape')
        await page.mouse.up()
      }
    }
    await drag('Sales this month', 'Finished goods', false)
    expect(await titles(page)).toEqual(before)
    await drag('Sales this month', 'Finished goods', true)
    const made = await titles(page)
    expect(made.indexOf('Sales this month')).toBe(before.indexOf('Finished goods'))
    await page.reload()
    await settled(page)
    expect(await titles(page)).toEqual(made)
  })

  inLongTier(
    'a saved view is pinned by its id: a change of the view changes the pin, and its end is said',
    async () => {
      const { page } = await pageOf('views')
      const call = (method: string, path: string, body?: object) =>
        page.evaluate(
          async ([method, path, body]) => {
            const session = (await (await fetch('/session')).json()) as { csrf: string }
            const headers = { 'content-type': 'application/json', 'x-csrf-token': session.csrf }
            const response = await fetch(path as string, {
              method: method as string,
              headers,
              ...(body ? { body: body as string } : {}),
            })
            return (await response.json()) as { id: string }
          },
          [method, path, body && JSON.stringify(body)] as const,
        )
      const view = {
        name: 'My customers',
        report: 'sales.invoices',
        period: 'last-12-months',
        group: ['customer_name'],
        measures: ['sum(total_amt)'],
        sort: ['-total_amt'],
      }
      const { id } = await call('POST', '/v1/views', view)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByLabel('What to pin').selectOption({ label: 'My customers' })
      await page.locator('.preview .bars li').first().waitFor()
      const done = kept(page)
      await page.getByRole('button', { name: 'Pin', exact: true }).click()
      await done
      const pin = pinNamed(page, 'My customers')
      await pin.locator('.bars li').first().waitFor()
      await call('PUT', `/v1/views/${id}`, { ...view, group: ['invoice_status'] })
      await page.reload()
      await pin.locator('.bars .name', { hasText: 'Submitted' }).waitFor()
      await call('DELETE', `/v1/views/${id}`)
      await page.reload()
      await pin.getByText('Its saved view was deleted').waitFor()
    },
  )
})

it.each(long ? (['light', 'dark'] as const) : [])(
  'axe finds no fault, nothing is wider than the page, and a phone shows the figures first: %s',
  async (colorScheme) => {
    const { page } = await fresh(
      the.signedIn('/', { colorScheme, bypassCSP: true, viewport: { width: 1440, height: 900 } }),
    )
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await settled(page)
      await page.evaluate(readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'))
      const found = (await page.evaluate(`axe.run().then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`)) as string[]
      expect([width, found]).toEqual([width, []])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await expectFullLines(page)
    }
    expect(await page.locator('.board > .pin').first().getAttribute('class')).toContain('figure')
  },
)

/** The first day of the last 12 months. */
function firstOfYear(today: string): string {
  const [year = 0, month = 1] = today.split('-').map(Number)
  return new Date(Date.UTC(year, month - 12, 1)).toISOString().slice(0, 10)
}
