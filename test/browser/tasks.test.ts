/** Twelve tasks of people, by pointer and by keyboard alone: each has the most clicks and keys that it may take, and its result is checked against the API. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openBook } from '../../src/pull/sheets/book.js'
import { textOf } from '../../src/pull/sheets/sheet.js'
import { parse, sum } from '../oracle/decimal.js'
import {
  type Console,
  expectRow,
  type Opened,
  plain,
  type Row,
  recordsOf,
  rowOf,
  rowsShown,
  signIn,
  startConsole,
} from '../setup/console.js'
import { tempFolder } from '../setup/files.js'
import { type Hand, type HandName, keyboard, pointer } from '../setup/hands.js'
import { inLongTier, long } from '../setup/tier.js'

const the = {} as Console
beforeAll(async () => {
  // Small in the quick tier, and the sample of other tests; in the long tier of 62,000 invoices, unless MILLBOOK_TASKS_SCALE is less.
  const scale = Number(process.env['MILLBOOK_TASKS_SCALE'] ?? 5)
  Object.assign(the, await startConsole(long ? { scale, months: 18 } : { scale: 0.1, months: 3 }))
}, 3_600_000)
afterAll(() => the.close?.())

const INVOICES = 'sales.invoices'
const SALES = 'sales.sales'
const day = (year: number, month: number, date: number) =>
  new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)
const now = () => the.today.split('-').map(Number) as [year: number, month: number, date: number]
const thisMonth = () => ({ from_date: `${the.today.slice(0, 8)}01`, to_date: the.today })
const lastMonth = () => ({ from_date: day(now()[0], now()[1] - 2, 1), to_date: day(now()[0], now()[1] - 1, 0) })
const lastYear = () => ({ from_date: day(now()[0], now()[1] - 12, 1), to_date: the.today })
const cents = (text: unknown) => parse(plain(String(text)), 2)
const all = (id: string, values: Row, query: Record<string, string | string[]> = {}) =>
  recordsOf(the, id, values, { fields: 'all', ...query })
/** Excel keeps no zeros at the end of a number. */
const withoutZeros = (text: string) => (/^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text)
const toolbar = (page: Page, name: string | RegExp) =>
  page.locator('.toolbar').getByRole('button', { name, exact: true })
const column = async (page: Page, field: string) =>
  Number(await page.locator(`.grid .head [data-field="${field}"]`).getAttribute('data-column'))
const cell = async (page: Page, row: number, field: string) =>
  page.locator(`.grid .row[aria-rowindex="${row + 2}"] [data-column="${await column(page, field)}"]`)

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

/** A part that fades in while axe looks has less contrast, so a fault must be there twice. */
async function expectNoFaults(page: Page): Promise<void> {
  await page.evaluate(axe)
  const faults = async (): Promise<string[]> => {
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter((animation) => animation.effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished))`)
    return (await page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`)) as string[]
  }
  const found = await faults()
  expect([page.url(), found.length > 0 ? await faults() : found]).toEqual([page.url(), []])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}

/** Sales by category and month of the last 12 months. */
const byCategory = { group: 'product_category,month(order_date)', measures: 'sum(total_amount),sum(total_sales)' }
const sales = (query: Record<string, string> = {}) =>
  all(SALES, { method: 'month', ...lastYear() }, { ...byCategory, ...query })
/** Copied cells are the values of the API; a change is shown with its sign. */
const rawOf = (shown: Awaited<ReturnType<typeof rowOf>>) =>
  Object.fromEntries(Object.entries(shown).map(([name, { raw }]) => [name, raw]))
const textsOf = (row: Row | undefined) =>
  Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, String(value ?? '')]))
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthInWords = (name: unknown) => `${MONTHS[Number(String(name).slice(5)) - 1]} ${String(name).slice(0, 4)}`

/** The customer with the most invoices of last month. */
async function customer(): Promise<string> {
  const [row] = await all(INVOICES, lastMonth(), { group: 'customer_name', measures: 'sum(total_amt)', sort: '-rows' })
  return String(row?.['customer_name'])
}
const aDispatchedOrder = async () => {
  const [row] = await all('sales.sales-orders', lastYear(), {
    filter: 'order_status=ISSUED',
    sort: '-order_date,order_no',
  })
  return row as Row
}
const at = (row: Row, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Row | undefined)?.[name], row)

interface Task {
  readonly name: string
  /** The most clicks that it may take. */
  readonly clicks: number
  /** The most keys, without the letters that are typed. */
  readonly keys: number
  /** The task begins on the overview unless it goes on where the task before it ended. */
  readonly goesOn?: true
  /** In the quick tier too. */
  readonly quick?: readonly HandName[]
  /** What a person does. */
  do(hand: Hand): Promise<void>
  /** Compares what the person sees with the API. */
  check(page: Page): Promise<void>
}

const viewOf = (hand: Hand) => `Sales by category, by ${hand.name}`
const views: { path: string; app: string; url: string } = { path: '', app: '', url: '' }
const viewMenu = (page: Page) => page.getByTitle('This saved view')
const dialog = (page: Page) => page.locator('dialog')

const TASKS: readonly Task[] = [
  {
    ...{ name: 'what will run out', clicks: 1, keys: 2, quick: ['pointer', 'keyboard'] },
    async do({ page, openPin }) {
      await openPin('Stock cannot cover')
      await rowsShown(page)
    },
    async check(page) {
      const rows = await all(
        'sales.demand-status',
        { type: 'CONSOLIDATED', ...lastYear() },
        { filter: 'short_qty>0', sort: '-short_qty' },
      )
      expect(rows.length).toBeGreaterThan(0)
      expect(await rowsShown(page)).toBe(rows.length)
      const shown = await rowOf(page, 0)
      expect(Object.keys(shown)).toEqual(expect.arrayContaining(['product_name', 'available_qty', 'short_qty']))
      expectRow(shown, rows[0])
    },
  },
  {
    ...{ name: 'why the closing stock of a product is so', clicks: 2, keys: 32, quick: ['pointer'] },
    async do({ page, openReport, open }) {
      await openReport('Stock of finished goods')
      await rowsShown(page)
      const rows = await all('inventory.fg-stock-status', { type: 'FG', tax: '0', ...thisMonth() })
      // In view also among hundreds of products.
      const index = rows.findIndex((row) => row['Closing_qty'] !== '0.0000')
      expect(index).toBeGreaterThanOrEqual(0)
      await open(await cell(page, index, 'Closing_qty'))
      await page.locator('.panel .word').waitFor()
    },
    async check(page) {
      expect(await page.locator('.panel .word').textContent()).toBe('equal')
      const closing = await page.locator('.panel h3 [data-raw]').first().getAttribute('data-raw')
      const link = await page.locator('.panel').getByRole('link', { name: 'Open as a report' }).getAttribute('href')
      const { pathname, searchParams } = new URL(link ?? '', the.base)
      const moves = await all(pathname.split('/').at(-1) as string, Object.fromEntries(searchParams))
      expect(await page.locator('.panel tbody tr').count()).toBe(Math.min(2000, moves.length))
      expect(sum(moves.map((move) => parse(String(move['qty']), 4)))).toBe(parse(String(closing), 4))
      const [row] = (await all('inventory.fg-stock-status', { type: 'FG', tax: '0', ...thisMonth() })).filter(
        (one) => one['Product_sku'] === searchParams.get('sku') && one['warehouse'] === moves[0]?.['warehouse'],
      )
      expect(row?.['Closing_qty']).toBe(closing)
    },
  },
  {
    ...{ name: "a customer's last month, printed", clicks: 6, keys: 32 },
    async do({ page, openReport, press, write }) {
      await openReport('Invoices')
      await rowsShown(page)
      await page.evaluate(`window.print = () => document.body.classList.add('asked-to-print')`)
      await press(page.locator('.toolbar').getByTitle(/^Dates:/))
      await press(page.getByRole('button', { name: /^Last month/ }))
      await page.waitForURL((url) => url.searchParams.get('from_date') === lastMonth().from_date)
      await write(page.locator('#search-rows'), await customer())
      await page.waitForURL((url) => url.searchParams.has('search'))
      await rowsShown(page)
      await press(page.getByRole('button', { name: /^Export/ }))
      await press(page.getByRole('button', { name: /^Print documents/ }))
      await page.locator('body.asked-to-print').waitFor()
    },
    async check(page) {
      const name = await customer()
      const rows = (await all(INVOICES, lastMonth())).filter((row) => row['customer_name'] === name)
      expect(rows.length).toBeGreaterThan(0)
      await page.emulateMedia({ media: 'print' })
      onTestFinished(() => page.emulateMedia({ media: 'screen' }))
      expect(await page.locator('.rail').isVisible()).toBe(false)
      const [account] = await the.service.db<{ name: string }[]>`select name from account`
      expect(await page.locator('.sheet header').textContent()).toContain(account?.name)
      const papers = page.locator('.sheet .document')
      expect(await papers.count()).toBe(rows.length)
      for (const [index, row] of rows.entries()) {
        const paper = papers.nth(index)
        expect(await paper.isVisible()).toBe(true)
        expect(await paper.locator('h2').textContent()).toContain(row['invoice_no'])
        expect(await paper.locator('.facts').first().textContent()).toContain(name)
        expect(await paper.locator('table').first().locator('tbody tr').count()).toBe((row['items'] as Row[]).length)
        const sums = await paper.locator('.sums div').allTextContents()
        const total = sums.find((text) => text.startsWith('Total amount'))?.replace(/^\D+/, '')
        expect([row['invoice_no'], cents(total)]).toEqual([row['invoice_no'], cents(row['total_amt'])])
      }
      await page.emulateMedia({ media: 'screen' })
      await page.evaluate(`dispatchEvent(new Event('afterprint'))`)
    },
  },
  {
    ...{ name: 'sales by category and month as a pivot', clicks: 7, keys: 47 },
    async do({ page, openReport, press, write }) {
      await openReport('Sales by period')
      await rowsShown(page)
      await press(page.locator('.toolbar').getByTitle(/^Dates:/))
      await press(page.getByRole('button', { name: /^Last 12 months/ }))
      await page.waitForURL((url) => url.searchParams.get('from_date') === lastYear().from_date)
      await press(toolbar(page, 'Group'))
      const field = page.getByLabel('Find a field to group by')
      await write(field, 'category')
      await press(page.locator('.grouping').getByRole('button', { name: 'Product category', exact: true }))
      await page.waitForURL((url) => url.searchParams.has('group'))
      await write(field, 'date')
      await press(page.locator('.grouping').getByRole('button', { name: / by month$/ }))
      await page.waitForURL((url) => url.searchParams.get('group') === byCategory.group)
      await press(page.locator('.show-as').getByRole('button', { name: 'Pivot' }))
      await page.locator('.grid[aria-label$="as a pivot"] .totals').waitFor()
    },
    async check(page) {
      const rows = await sales()
      const categories = [...new Set(rows.map((row) => row['product_category']))]
      expect(categories.length).toBeGreaterThan(1)
      const heads = await page.locator('.grid .head .label').allTextContents()
      for (const [index, category] of categories.entries()) {
        const shown = await page.locator(`.grid .row[aria-rowindex="${index + 2}"] .cell`).allTextContents()
        expect(shown[0]).toBe(category)
        const own = rows.filter((row) => row['product_category'] === category)
        for (const row of own) {
          const at = heads.indexOf(monthInWords(row['order_date_month']))
          expect([category, heads[at], cents(shown[at])]).toEqual([
            category,
            monthInWords(row['order_date_month']),
            cents(row['total_amount']),
          ])
        }
        expect(cents(shown.at(-1))).toBe(sum(own.map((row) => cents(row['total_amount']))))
      }
      const total = await page.locator('.totals [data-total]').last().textContent()
      expect(cents(total)).toBe(sum(rows.map((row) => cents(row['total_amount']))))
    },
  },
  {
    ...{ name: 'the same as a chart', clicks: 1, keys: 4, goesOn: true },
    async do({ page, press }) {
      await press(page.locator('.show-as').getByRole('button', { name: 'Stacked' }))
      await page.locator('.plot .bar').first().waitFor()
    },
    async check(page) {
      const rows = await sales()
      const series = await page.locator('.graph .legend .key').allTextContents()
      const months = await page
        .locator('.graph table tbody tr')
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
      expect(months).toHaveLength(12)
      expect(await page.locator('.graph figcaption strong').textContent()).toBe('Total amount, INR')
      for (const [label, ...values] of months)
        for (const [at, category] of series.entries()) {
          const row = rows.find(
            (one) =>
              one['product_category'] === category &&
              monthInWords(one['order_date_month']) === label?.replace(/,.*/, ''),
          )
          expect([label, category, cents(values[at])]).toEqual([label, category, cents(row?.['total_amount'] ?? '0')])
        }
    },
  },
  {
    ...{ name: 'compared with last year', clicks: 3, keys: 22, goesOn: true },
    async do({ page, press }) {
      await press(toolbar(page, 'Compare'))
      await press(page.getByRole('button', { name: /^Year before/ }))
      await page.waitForURL((url) => url.searchParams.get('compare') === 'year')
      await press(page.locator('.show-as').getByRole('button', { name: 'Table' }))
      await page.locator('.grid [data-field=total_amount__change]').waitFor()
    },
    async check(page) {
      const rows = await sales({ compare: 'year' })
      expect(await rowsShown(page)).toBe(rows.length)
      const index = rows.findIndex((row) => cents(row['total_amount__before']) > 0n)
      expect(index).toBeGreaterThanOrEqual(0)
      expect(textsOf(rows[index])).toMatchObject(rawOf(await rowOf(page, index)))
      const before = {
        from_date: day(now()[0] - 1, now()[1] - 12, 1),
        to_date: day(now()[0] - 1, now()[1] - 1, now()[2]),
      }
      const earlier = await all(
        SALES,
        { method: 'month', ...before },
        { group: 'product_category', measures: 'sum(total_amount)' },
      )
      expect(sum(rows.map((row) => cents(row['total_amount__before'])))).toBe(
        sum(earlier.map((row) => cents(row['total_amount']))),
      )
    },
  },
  {
    ...{ name: 'named', clicks: 2, keys: 20, goesOn: true },
    async do(hand) {
      const { page, press, write } = hand
      await press(page.getByRole('button', { name: 'Save view' }))
      await write(dialog(page).getByLabel('Name', { exact: true }), viewOf(hand))
      await press(dialog(page).getByRole('button', { name: 'Save', exact: true }))
      await page.getByRole('heading', { name: viewOf(hand), level: 1 }).waitFor()
    },
    async check(page) {
      views.path = new URL(page.url()).pathname
      await page.reload()
      await page.locator('.grid [data-field=total_amount__change]').waitFor()
      const rows = await sales({ compare: 'year' })
      expect(await rowsShown(page)).toBe(rows.length)
      expect(textsOf(rows[0])).toMatchObject(rawOf(await rowOf(page, 0)))
    },
  },
  {
    ...{ name: 'shared', clicks: 4, keys: 14, goesOn: true },
    async do({ page, press }) {
      await press(viewMenu(page))
      await press(page.getByRole('button', { name: /^Rename or share/ }))
      await press(dialog(page).getByRole('radio', { name: 'Everyone' }))
      await press(dialog(page).getByRole('button', { name: 'Save', exact: true }))
      await page.getByText('shared with everyone').waitFor()
    },
    async check() {
      const id = views.path.split('/').at(-1)
      const stored = (await the.service.call({ method: 'GET', path: `/v1/views/${id}` })).json()
      expect(stored).toMatchObject({ shared: 'everyone', compare: 'year' })
    },
  },
  {
    ...{ name: 'in Excel by its link with an app password', clicks: 7, keys: 19, goesOn: true },
    async do({ page, press, choose }) {
      await press(viewMenu(page))
      await press(page.getByRole('button', { name: /^Link for Excel/ }))
      await choose(page.getByLabel('Format'), 'Excel workbook')
      await press(page.getByRole('button', { name: 'Copy the link' }))
      views.url = await page.evaluate('navigator.clipboard.readText()')
      await press(page.getByRole('link', { name: 'Make an app password' }))
      await press(page.getByRole('button', { name: 'Make it' }))
      views.app = (await page.locator('.secret').last().textContent()) ?? ''
    },
    async check() {
      const basic = Buffer.from(`${the.operator.username}:${views.app}`).toString('base64')
      const response = await fetch(views.url, { headers: { authorization: `Basic ${basic}` } })
      expect(response.status).toBe(200)
      const file = join(tempFolder(), 'view.xlsx')
      writeFileSync(file, Buffer.from(await response.arrayBuffer()))
      const book = await openBook(file, { separator: ',', encoding: 'utf-8' })
      const lines: string[][] = []
      for await (const { cells } of book.rows(book.sheets[0]?.name ?? ''))
        lines.push(cells.map((cell) => withoutZeros(textOf(cell))))
      await book.close()
      for (const row of await sales({ compare: 'year' })) {
        const cells = Object.values(row).map((value) => withoutZeros(String(value ?? '')))
        expect(lines).toContainEqual(cells)
      }
      const own = await fetch(views.url, {
        headers: {
          authorization: `Basic ${Buffer.from(`${the.operator.username}:${the.operator.password}`).toString('base64')}`,
        },
      })
      expect(own.status).toBe(401)
    },
  },
  {
    ...{
      name: 'an order found by its number and read on its page',
      clicks: 2,
      keys: 2,
      quick: ['pointer', 'keyboard'],
    },
    async do({ page, find }) {
      await find(String((await aDispatchedOrder())['order_no']), /Sales order/)
      await page.locator('.paper').waitFor()
    },
    async check(page) {
      const order = await aDispatchedOrder()
      expect(await page.locator('.thing').textContent()).toContain(order['order_no'])
      expect(await page.locator('.thing .facts').first().textContent()).toContain(at(order, 'customer.customer_name'))
      expect(await page.locator('.paper tbody tr').count()).toBe((order['items'] as Row[]).length)
      const total = await page.locator('.totals-of .sum dd').textContent()
      expect(cents(total?.replace(/^₹/, ''))).toBe(cents(order['total_amt']))
    },
  },
]

const hands = { pointer, keyboard }
/** Looks for faults on every page, menu and dialog that the hand opens. */
const watched = (hand: Hand): Hand => ({
  ...hand,
  async press(target) {
    await hand.press(target)
    await expectNoFaults(hand.page)
  },
})

describe.each(Object.keys(hands) as HandName[])('by %s', (kind) => {
  let opened: Opened
  let hand: Hand
  beforeAll(async () => {
    opened = await the.signedIn('/operate/loads', {
      viewport: { width: 1440, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    hand = await hands[kind](opened.page)
  }, 600_000)
  afterAll(() => opened?.context.close())

  const count = async (task: Pick<Task, 'name' | 'clicks' | 'keys'>, done: Hand) => {
    const counted = await done.counted()
    const most = kind === 'pointer' ? task.clicks : task.keys
    expect(counted, `${task.name} by ${kind}`).toBeLessThanOrEqual(most)
    expect(counted).toBeGreaterThan(0)
  }

  for (const task of TASKS)
    (task.quick?.includes(kind) ? it : inLongTier)(task.name, async () => {
      const { page } = hand
      if (!task.goesOn) {
        await page.goto(the.base)
        await page.locator('.board .pin').first().waitFor()
      }
      await hand.counted()
      await task.do(long && kind === 'pointer' ? watched(hand) : hand)
      await count(task, hand)
      await task.check(page)
      if (long) await expectNoFaults(page)
      expect(opened.errors).toEqual([])
    })

  inLongTier('opened by a reader with fewer rights', async () => {
    const open = async (username: string, groups: string[]) => {
      const password = await the.newUser(`${username}-${kind}`, { groups: groups as never, hideContacts: true })
      const reader = await the.newPage()
      const own = await hands[kind](reader.page)
      await reader.page.goto(the.base)
      await signIn(reader.page, { username: `${username}-${kind}`, password })
      await reader.page.locator('.board').waitFor()
      return own
    }
    const seller = await open('seller', ['sales'])
    await seller.counted().catch(() => 0) // signing in types and clicks
    await seller.find(viewOf(seller), /View/)
    await count({ name: 'opened by a reader', clicks: 2, keys: 2 }, seller)
    const rows = await sales({ compare: 'year' })
    expect(await rowsShown(seller.page)).toBe(rows.length)
    expect(textsOf(rows[0])).toMatchObject(rawOf(await rowOf(seller.page, 0)))
    // Contacts are hidden from this reader, wherever they are.
    const order = await aDispatchedOrder()
    const phone = String(at(order, 'customer.billing.phone'))
    expect(phone).toMatch(/\d{5}/)
    await seller.find(String(order['order_no']), /Sales order/)
    await seller.page.locator('.paper').waitFor()
    expect(await seller.page.locator('.thing').textContent()).not.toContain(phone)
    const keeper = await open('keeper', ['inventory'])
    await keeper.page.goto(the.base + views.path)
    await keeper.page.getByText(/you may not use the group sales; ask the operator/).waitFor()
    for (const { page } of [seller, keeper]) {
      await expectNoFaults(page)
      await page.context().close()
    }
  })

  inLongTier('on a phone, the stock of one product in two taps', async () => {
    const phone = await the.signedIn('/operate/loads', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    const own = await hands[kind](phone.page)
    await phone.page.goto(the.base)
    await phone.page.locator('.board .pin').first().waitFor()
    const [item] = await the.service.db<{ sku: string; name: string }[]>`
      select i.sku, i.name from sales_order_line l join item i on i.id = l.item_id where i.type = 'FG'
       group by 1, 2 order by count(*) desc, 1 limit 1`
    await own.counted()
    await own.find(item?.name as string, /Item/)
    await phone.page.locator('.figures[aria-busy=false]').waitFor()
    await count({ name: 'stock on a phone', clicks: 2, keys: 2 }, own)
    const [totals] = await all('inventory.item-stock', { date: the.today, sku: item?.sku }, { totals: 'yes' })
    const shown = phone.page.locator('.figures li', { hasText: 'In stock' }).locator('.num')
    expect(plain((await shown.textContent()) ?? '')).toBe(plain(String(totals?.['stock_qty']).replace(/\.0+$/, '')))
    await expectNoFaults(phone.page)
    await phone.context.close()
  })
})
