/** Groups, comparisons, pivots, charts and saved views in the console. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  cellsOf,
  consoleForFile,
  expectRow,
  pathOf,
  plain,
  type Row,
  recordsOf,
  rowOf,
  rowsShown,
  signIn,
  wideRange,
} from '../setup/console.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile()

const INVOICES = 'sales.invoices'
const SUMS = 'sum(total_amt)'
const wide = () => wideRange(the)
const grouped = (query: Record<string, string>) => recordsOf(the, INVOICES, wide(), { fields: 'all', ...query })
const at = (query: Record<string, string>) => pathOf(INVOICES, wide(), query)
const searchOf = (page: Page) => new URL(page.url()).searchParams
/** Exact, in hundredths. */
const cents = (text: unknown) => BigInt(plain(String(text)).replace('.', ''))

async function toolbar(page: Page, name: string): Promise<void> {
  await page.locator('.toolbar').getByRole('button', { name, exact: true }).click()
}

describe('groups', () => {
  it('chosen in the menu are the groups of the API; a click on a chip removes one', async () => {
    const { page, errors } = await open(pathOf(INVOICES, wide()))
    const ungrouped = await rowsShown(page)
    await toolbar(page, 'Group')
    await page.getByLabel('Find a field to group by').fill('customer')
    await page.locator('.grouping').getByRole('button', { name: 'Customer name', exact: true }).click()
    await page.getByLabel('Find a field to group by').fill('invoice date')
    await page.getByRole('button', { name: 'Invoice date by month' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove the group by Invoice date by month' }).waitFor()
    await page.locator('.grid [data-field=invoice_date_month]').waitFor()
    const query = { group: 'customer_name,month(invoice_date)', measures: SUMS }
    expect(Object.fromEntries(searchOf(page))).toMatchObject(query)
    const rows = await grouped(query)
    expect(await rowsShown(page)).toBe(rows.length)
    expectRow(await rowOf(page, 0), rows[0])
    expect(await page.locator('.status strong').textContent()).toMatch(/groups$/)
    await page.getByRole('button', { name: 'Remove the group by Customer name' }).click()
    await page.waitForURL((url) => url.searchParams.get('group') === 'month(invoice_date)')
    await page.getByRole('button', { name: 'Remove the group by Invoice date by month' }).click()
    await page.waitForURL((url) => !url.searchParams.has('group') && !url.searchParams.has('measures'))
    expect(await rowsShown(page)).toBe(ungrouped)
    expect(errors).toEqual([])
  })

  inLongTier('have the figures that are chosen', async () => {
    const { page } = await open(at({ group: 'customer_name', measures: SUMS }))
    await rowsShown(page)
    await toolbar(page, 'Group')
    await page.getByLabel('Function of Total amount').selectOption('avg')
    await page.getByLabel('Add a figure').selectOption('invoice_date')
    await page.locator('.grid [data-field=invoice_date_min]').waitFor()
    const measures = 'avg(total_amt),min(invoice_date)'
    expect(searchOf(page).get('measures')).toBe(measures)
    const rows = await grouped({ group: 'customer_name', measures })
    await rowsShown(page)
    expectRow(await rowOf(page, 0), rows[0])
    await page.getByRole('button', { name: 'Remove average of Total amount' }).click()
    await page.waitForURL((url) => url.searchParams.get('measures') === 'min(invoice_date)')
  })

  inLongTier('open exactly their rows', async () => {
    const { page } = await open(at({ group: 'customer_name,month(invoice_date)', measures: SUMS, sort: '-total_amt' }))
    await rowsShown(page)
    const { rows, total_amt } = await cellsOf(page, 0)
    await page.locator('.grid .row[aria-rowindex="2"] .cell').first().click()
    await page.waitForURL((url) => url.searchParams.has('filter'))
    expect(await rowsShown(page)).toBe(Number(plain(rows as string)))
    await page.locator('[data-total=total_amt]').waitFor()
    expect(cents(await page.locator('[data-total=total_amt]').textContent())).toBe(cents(total_amt))
    await page.goBack()
    await page.locator('.grid [data-field=invoice_date_month]').waitFor()
  })

  inLongTier(
    'are chosen by a condition on a figure, which has no totals; totals without it are the sums of all rows',
    async () => {
      const query = { group: 'customer_name', measures: SUMS }
      const rows = await grouped(query)
      const sum = rows.reduce((all, row) => all + cents(row['total_amt']), 0n)
      const { page } = await open(at(query))
      await rowsShown(page)
      await page.locator('[data-total=total_amt]').waitFor()
      expect(cents(await page.locator('[data-total=total_amt]').textContent())).toBe(sum)
      const header = page.getByRole('columnheader', { name: /Amount/ })
      await header.hover()
      await header.getByRole('button', { name: 'Column Total amount' }).click()
      await page.getByRole('button', { name: 'Filter…' }).click()
      await page.getByLabel('Condition').selectOption('>')
      const limit = String(
        rows.map((row) => Number(row['total_amt'])).sort((a, b) => a - b)[Math.floor(rows.length / 2)],
      )
      await page.getByLabel('Value', { exact: true }).fill(limit)
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL((url) => url.searchParams.has('having'))
      expect(await rowsShown(page)).toBe(rows.filter((row) => Number(row['total_amt']) > Number(limit)).length)
      expect(await page.locator('.grid .totals').count()).toBe(0)
    },
  )

  inLongTier('that the report does not have are named, and can be dropped', async () => {
    const { page } = await open(
      at({ group: 'nonsense,customer_name', measures: `sum(gone),${SUMS}`, sort: '-total_amt' }),
    )
    await page.getByText('This link groups by “nonsense”, which').waitFor()
    await page.getByRole('button', { name: 'Drop the figure sum(gone)' }).click()
    await page.getByRole('button', { name: 'Drop the group nonsense' }).click()
    await page.locator('.grid[aria-busy=false]').waitFor()
    expect(await rowsShown(page)).toBe((await grouped({ group: 'customer_name' })).length)
    expect(Object.fromEntries(searchOf(page))).toMatchObject({
      group: 'customer_name',
      measures: SUMS,
      sort: '-total_amt',
    })
  })

  it('are exported as they are shown', async () => {
    const query = { group: 'customer_name', measures: SUMS }
    const { page } = await open(at(query))
    await rowsShown(page)
    await page.getByRole('button', { name: /Export/ }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^CSV about/ }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines[0]).toBe('customer_name,rows,total_amt,_cancelled')
    expect(lines).toHaveLength((await grouped(query)).length + 1)
    await page.getByRole('button', { name: 'Show the request as code' }).click()
    expect(await page.locator('pre.code').textContent()).toContain('group=customer_name&measures=')
    await page.keyboard.press('Escape')
  })
})

describe('a comparison', () => {
  it('chosen at the dates has the values before and the changes, coloured by what is good', async () => {
    const { page } = await open(at({ group: 'customer_name', measures: SUMS }))
    await rowsShown(page)
    await page
      .getByRole('button', { name: /^Dates:|– \d/ })
      .first()
      .click()
    await page.getByRole('button', { name: /^Year before/ }).click()
    await page.locator('.grid [data-field=total_amt__change]').waitFor()
    const rows = await grouped({ group: 'customer_name', measures: SUMS, compare: 'year' })
    expect(await rowsShown(page)).toBe(rows.length)
    const { total_amt__before: before, total_amt__change: change } = await rowOf(page, 0)
    expect([before?.raw, change?.raw]).toEqual([rows[0]?.['total_amt__before'], rows[0]?.['total_amt__change']])
    expect(change?.text).toMatch(/^\+/)
    expect(await page.locator('.grid .num.good').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Remove the comparison' }).click()
    await page.waitForURL((url) => !url.searchParams.has('compare'))
  })

  inLongTier('of records without groups opens the record', async () => {
    const { page } = await open(
      pathOf('inventory.fg-stock-status', { type: 'FG', tax: '0', ...wide() }, { compare: 'previous' }),
    )
    await rowsShown(page)
    await page.locator('.grid [data-field=Closing_qty__change]').waitFor()
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page.locator('.panel .field', { hasText: 'Closing before' }).waitFor()
  })

  inLongTier('of a report without dates says so, and can be dropped', async () => {
    const { page } = await open('/reports/masters.finished-goods?compare=year')
    await page.getByText('Finished goods has no dates, so it cannot be compared with an earlier period.').waitFor()
    await page.getByRole('button', { name: 'Drop the comparison' }).click()
    await page.locator('.grid[aria-busy=false]').waitFor()
    expect(await rowsShown(page)).toBeGreaterThan(0)
  })
})

describe('a pivot', () => {
  const query = { group: 'customer_name,month(invoice_date)', measures: `${SUMS},avg(total_amt)` }

  it('has the groups of the API in its cells, and true totals', async () => {
    const { page, errors } = await open(at({ ...query, show: 'pivot' }))
    await page.locator('.grid[aria-label$="as a pivot"] .totals').waitFor()
    const rows = await grouped(query)
    const customers = [...new Set(rows.map((row) => row['customer_name']))]
    const months = [...new Set(rows.map((row) => String(row['invoice_date_month'])))].sort()
    expect(await page.locator('.grid').getAttribute('aria-rowcount')).toBe(String(customers.length + 2))
    const heads = await page.locator('.grid .head .label').allTextContents()
    expect(heads[0]).toBe('Customer')
    expect(heads.at(-1)).toBe('Total')
    expect(heads.length).toBeGreaterThanOrEqual(months.length + 2)
    const shown = await page.locator('.grid .row[aria-rowindex="2"] .cell').allTextContents()
    const own = rows.filter((row) => row['customer_name'] === shown[0])
    const sum = (some: readonly Row[]) => some.reduce((all, row) => all + cents(row['total_amt']), 0n)
    expect(cents(shown.at(-1))).toBe(sum(own))
    const filled = shown.slice(1, -1).filter((text) => text !== '–')
    expect(filled.map(cents)).toEqual(own.map((row) => cents(row['total_amt'])))
    expect(cents(await page.locator('.totals [data-total]').last().textContent())).toBe(sum(rows))
    expect(errors).toEqual([])
  })

  inLongTier('of averages has no totals, and says why; a click on a cell opens its rows', async () => {
    const { page } = await open(at({ ...query, show: 'pivot', figure: 'total_amt_avg' }))
    await page.getByText('No totals: averages cannot be added up.').waitFor()
    await page.locator('.grid[aria-label$="as a pivot"] .row').first().waitFor()
    expect(await page.locator('.grid .totals').count()).toBe(0)
    const heads = await page.locator('.grid .head .label').allTextContents()
    const cells = await page.locator('.grid .row[aria-rowindex="2"] .cell').allTextContents()
    const column = cells.findIndex((text, at) => at > 0 && text !== '–')
    await page.locator(`.grid .row[aria-rowindex="2"] [data-column="${column}"] .drill`).click()
    await page.waitForURL((url) => url.searchParams.getAll('filter').length > 2)
    const filters = searchOf(page).getAll('filter')
    expect(filters[0]).toBe(`customer_name=${cells[0]}`)
    expect(filters[1]).toMatch(/^invoice_date>=/)
    const found = (await grouped(query)).find(
      (row) => row['customer_name'] === cells[0] && monthName(row) === heads[column],
    )
    expect(await rowsShown(page)).toBe(found?.['rows'])
  })
})

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const monthName = (row: Row) => {
  const [year, month] = String(row['invoice_date_month']).split('-')
  return `${MONTHS[Number(month) - 1]} ${year}`
}

describe('a chart', () => {
  const query = { group: 'month(invoice_date)', measures: SUMS }
  const numbers = (page: Page) =>
    page
      .locator('.graph table tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))

  it('of rows is offered as the sum by month; its bars have the values of the API and open their rows', async () => {
    const { page, errors } = await open(pathOf(INVOICES, wide()))
    await rowsShown(page)
    await page.getByRole('button', { name: 'Chart', exact: true }).click()
    await page.locator('.plot .bar').first().waitFor()
    expect(Object.fromEntries(searchOf(page))).toMatchObject(query)
    const rows = await grouped(query)
    const shown = (await numbers(page)).filter(([, value]) => value !== '0')
    expect(shown.map(([label, value]) => [label?.replace(/,.*/, ''), cents(value)])).toEqual(
      rows.map((row) => [monthName(row), cents(row['total_amt'])]),
    )
    expect(await page.locator('.graph figcaption strong').textContent()).toBe('Total amount, INR')
    // The dates end today: unless the month does too, it is unfinished.
    const endsToday = new Date(`${the.today}T00:00:00Z`)
    endsToday.setUTCDate(endsToday.getUTCDate() + 1)
    expect(await page.locator('.plot .hatch').count()).toBe(endsToday.getUTCDate() === 1 ? 0 : 1)
    const first = page.locator('.plot a').first()
    expect(await first.getAttribute('aria-label')).toMatch(/^\w{3} \d{4}: [\d,.]+ INR; show its rows$/)
    await first.focus()
    await page.locator('.tip').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.getAll('filter').length > 1)
    expect(await rowsShown(page)).toBe(rows[0]?.['rows'])
    expect(errors).toEqual([])
  })

  inLongTier(
    'by name has the largest bars first and the sum of the others; as lines and stacked over time',
    async () => {
      const { page } = await open(at({ group: 'customer_name', measures: SUMS, show: 'bars' }))
      await page.locator('.bar-list li').first().waitFor()
      const rows = (await grouped({ group: 'customer_name', measures: SUMS, sort: '-total_amt' })) as Row[]
      const shown = await numbers(page)
      expect(shown.slice(0, 12).map(([label, value]) => [label, cents(value)])).toEqual(
        rows.slice(0, 12).map((row) => [row['customer_name'], cents(row['total_amt'])]),
      )
      const sum = (some: readonly bigint[]) => some.reduce((a, b) => a + b, 0n)
      expect(sum(shown.map(([, value]) => cents(value)))).toBe(sum(rows.map((row) => cents(row['total_amt']))))
      expect(await page.getByRole('button', { name: 'Lines' }).isDisabled()).toBe(true)
      await page.goto(the.base + at({ group: 'month(invoice_date),customer_name', measures: SUMS, show: 'stacked' }))
      await page.locator('.plot .bar').first().waitFor()
      expect(await page.locator('.graph .legend .key').count()).toBeGreaterThan(1)
      await page.getByRole('button', { name: 'Lines' }).click()
      await page.locator('.plot line.line').first().waitFor()
      expect(searchOf(page).get('show')).toBe('lines')
    },
  )

  inLongTier('compared has the earlier period beside each bar, which opens the earlier rows', async () => {
    const { page } = await open(at({ ...query, compare: 'year', show: 'bars' }))
    await page.locator('.plot .bar').first().waitFor()
    expect(await page.locator('.graph .legend').textContent()).toMatch(/this period.*before/)
    const [before] = await page
      .locator('.plot a:has(.was)')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    const year = Number(wide().from_date.slice(0, 4)) - 1
    expect(before).toContain(`from_date=${year}`)
  })

  inLongTier('of a quantity in several units shows one unit at a time', async () => {
    const id = 'sales.order-status'
    const { page } = await open(
      pathOf(id, { version: 'WR', ...wide() }, { group: 'order_state', measures: 'sum(Order_qty)', show: 'bars' }),
    )
    await page.locator('.bar-list li').first().waitFor()
    const rows = await recordsOf(
      the,
      id,
      { version: 'WR', ...wide() },
      { group: 'order_state', measures: 'sum(Order_qty)', sort: '-Order_qty' },
    )
    const units = [...new Set(rows.map(({ UoM }) => String(UoM)))]
    expect(units.length).toBeGreaterThan(1)
    for (const unit of units.slice(0, 2)) {
      await page.getByLabel('Unit of the chart').selectOption(unit)
      await page.locator('.graph figcaption strong', { hasText: `Order quantity, ${unit}` }).waitFor()
      const own = rows.filter(({ UoM }) => UoM === unit)
      expect((await numbers(page)).map(([, value]) => plain(value ?? ''))).toEqual(
        own.map((row) => String(row['Order_qty']).replace(/\.?0+$/, '')),
      )
    }
  })

  inLongTier('is a script of its own', async () => {
    const { page } = await fresh(the.signedIn(at({ group: 'customer_name' })))
    const scripts: string[] = []
    page.on('response', (response) => {
      if (/group-chart.*\.js/.test(response.url())) scripts.push(response.url())
    })
    await rowsShown(page)
    expect(scripts).toEqual([])
    await page.getByRole('button', { name: 'Bars' }).click()
    await page.locator('.bar-list li').first().waitFor()
    expect(scripts).toHaveLength(1)
  })
})

describe('a saved view', () => {
  /** Saves the shown view under this name. */
  async function save(page: Page, name: string, readers = 'Only you'): Promise<string> {
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('radio', { name: readers }).check()
    await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    return new URL(page.url()).pathname
  }
  const pivot = () => at({ group: 'customer_name,month(invoice_date)', measures: SUMS, compare: 'year', show: 'pivot' })
  const openView = (menu: Page, item: RegExp) =>
    menu
      .getByTitle('This saved view')
      .click()
      .then(() => menu.getByRole('button', { name: item }).click())

  inLongTier('has its own page, is in the rail and the palette, and is changed, renamed and deleted', async () => {
    const { page, errors } = await fresh(the.signedIn(pivot()))
    await rowsShown(page)
    const path = await save(page, 'Sales by customer')
    await page.locator('.grid[aria-label$="as a pivot"] .row').first().waitFor()
    const link = page.locator('.rail').getByRole('link', { name: 'Sales by customer' })
    expect(await link.getAttribute('aria-current')).toBe('page')
    // A change is marked, and can be undone, saved, or saved as another view.
    await page.getByRole('button', { name: 'Remove the comparison' }).click()
    await page.getByText('changed: save or save as new').waitFor()
    await page.getByRole('button', { name: 'Undo changes' }).click()
    await page.getByRole('button', { name: 'Remove the comparison' }).waitFor()
    expect(await page.getByText('changed: save or save as new').count()).toBe(0)
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    await page.getByText('changed: save or save as new').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('changed: save or save as new').waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('.grid [data-field=total_amt__change]').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await openView(page, /^Rename or share/)
    await page.getByLabel('Name', { exact: true }).fill('Sales, compared')
    await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Sales, compared' }).waitFor()
    await page.goto(the.base)
    await page.locator('.rail').getByRole('link', { name: 'Sales, compared' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('sales, comp')
    await page.getByRole('option', { name: /Sales, compared/ }).click()
    await page.waitForURL(the.base + path)
    await openView(page, /^Delete/)
    await page.getByText('Workbooks, deliveries and links that use it stop getting data').waitFor()
    await page.getByRole('button', { name: 'Delete the view' }).click()
    await page.waitForURL(`${the.base}/reports/${INVOICES}`)
    await page.goto(the.base + path)
    await page.getByText('There is no such view, or it is not shared with you').waitFor()
    expect(errors).toEqual([])
  })

  it('gives its data by a link, in the chosen format', async () => {
    const { page } = await fresh(the.signedIn(at({ group: 'customer_name', measures: SUMS })))
    await rowsShown(page)
    await save(page, 'For Excel')
    await openView(page, /^Link for Excel/)
    await page.getByLabel('Format').selectOption('json')
    const url = new URL(await page.getByLabel('Link', { exact: true }).inputValue())
    expect(url.origin).toBe(the.base)
    const sent = (await page.evaluate(`fetch('/session').then((response) => response.json())
      .then(({ csrf }) => fetch('${url.pathname}${url.search}', { headers: { 'x-csrf-token': csrf } }))
      .then((response) => response.json())`)) as { data: Row[] }
    expect(sent).toMatchObject({ data: expect.any(Array) })
    expect(sent.data.length).toBeGreaterThan(0)
    expect(sent.data).toEqual((await grouped({ group: 'customer_name', measures: SUMS })).slice(0, sent.data.length))
    const id = url.pathname.split('/').at(-2)
    const link = page.getByRole('link', { name: 'Make an app password' })
    expect(await link.getAttribute('href')).toBe(`/account?view=${id}`)
  })

  inLongTier('keeps words for its dates, unless they are to stay', async () => {
    const { page } = await fresh(the.signedIn('/reports/sales.invoices'))
    await rowsShown(page)
    await page.locator('.toolbar .chip', { hasText: /\d{4}/ }).first().click()
    await page.getByRole('button', { name: /^Last month/ }).click()
    await page.waitForURL(/to_date/)
    const dates = [searchOf(page).get('from_date'), searchOf(page).get('to_date')]
    const definition = async (path: string) =>
      (await page.evaluate(`fetch('/session').then((response) => response.json()).then(({ csrf }) =>
        fetch('/v1/views/${path.split('/').at(-1)}', { headers: { 'x-csrf-token': csrf } }))
        .then((response) => response.json())`)) as Row
    expect(await definition(await save(page, 'Moves on'))).toMatchObject({ period: 'last-month', values: {} })
    await openView(page, /^Save a copy/)
    await page.getByRole('radio', { name: /stays as it is/ }).check()
    await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Moves on (copy)' }).waitFor()
    const copy = await definition(new URL(page.url()).pathname)
    expect([copy['period'], copy['values']]).toEqual([undefined, { from_date: dates[0], to_date: dates[1] }])
  })

  inLongTier('is seen by the readers it is shared with, within their rights', async () => {
    const { page } = await fresh(the.signedIn(at({ group: 'customer_name', measures: SUMS })))
    await rowsShown(page)
    const own = await save(page, 'My own')
    await page.goto(the.base + at({ group: 'customer_name', measures: SUMS }))
    const shared = await save(page, 'For everyone', 'Everyone')
    const readerOf = async (username: string, groups: string[]) => {
      const password = await the.newUser(username, { groups: groups as never })
      const { page } = await fresh(the.newPage())
      await page.goto(the.base)
      await signIn(page, { username, password })
      return page
    }
    const seller = await readerOf('seller', ['sales'])
    await seller.locator('.rail').getByRole('link', { name: 'For everyone' }).click()
    expect(await rowsShown(seller)).toBe((await grouped({ group: 'customer_name' })).length)
    await seller.getByText(`by ${the.operator.username}`).waitFor()
    await seller.getByRole('button', { name: 'Remove the group by Customer name' }).click()
    await seller.getByRole('button', { name: 'Save as new' }).waitFor()
    expect(await seller.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
    await seller.goto(the.base + own)
    await seller.getByText('There is no such view, or it is not shared with you').waitFor()
    const keeper = await readerOf('keeper', ['inventory'])
    await keeper.goto(the.base + shared)
    await keeper.getByText(/you may not use the group sales; ask the operator/).waitFor()
  })

  inLongTier('whose field or report is gone says so, and what it can drop', async () => {
    const { page } = await fresh(the.signedIn(at({ group: 'customer_name', measures: SUMS })))
    await rowsShown(page)
    const path = await save(page, 'Old')
    const id = path.split('/').at(-1) as string
    const put = (definition: object) =>
      the.service.db`update saved_view set definition = ${JSON.stringify(definition)}::text::json where id = ${id}`
    await put({ report: INVOICES, values: wide(), filter: ['gone=1'], group: ['customer_name'], measures: [SUMS] })
    await page.reload()
    await page.getByText('This view no longer fits').waitFor()
    await page.getByRole('button', { name: 'Drop what the report does not have' }).click()
    await page.locator('.grid[aria-busy=false]').waitFor()
    expect(await rowsShown(page)).toBe((await grouped({ group: 'customer_name' })).length)
    await page.getByText('changed: save or save as new').waitFor()
    await put({ report: 'sales.gone', values: {} })
    await page.goto(the.base + path)
    await page.getByText('This view shows the report sales.gone, which').waitFor()
    await page.getByRole('button', { name: 'Delete the view' }).click()
    await page.waitForURL(`${the.base}/`)
  })
})

describe('for everyone', () => {
  const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
  interface Violation {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }
  async function faults(page: Page): Promise<string[]> {
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter((animation) => animation.effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished))`)
    await page.evaluate(axe)
    const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] }
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`)
  }
  const screens = long
    ? (['light', 'dark'] as const).flatMap((scheme) => [390, 1024, 1440].map((width) => [scheme, width] as const))
    : []

  it.each(screens)(
    '%s at %i px: axe finds no fault, and nothing is wider than the screen',
    async (colorScheme, width) => {
      const { page } = await fresh(the.signedIn('/', { colorScheme, viewport: { width, height: 844 } }))
      const check = async (name: string) => {
        expect([name, await faults(page)]).toEqual([name, []])
        expect([name, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([name, true])
      }
      const two = { group: 'month(invoice_date),customer_name', measures: SUMS, compare: 'year' }
      for (const show of ['table', 'pivot', 'stacked']) {
        await page.goto(the.base + at({ ...two, show }))
        await rowsShown(page)
        if (show === 'stacked') await page.locator('.plot .bar').first().waitFor()
        await check(show)
      }
      await page.goto(the.base + at({ group: 'customer_name', measures: SUMS, show: 'bars' }))
      await page.locator('.bar-list li').first().waitFor()
      await check('bars')
      await toolbar(page, 'Group')
      await check('menu')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.getByRole('radio', { name: 'Users who may see' }).check()
      await check('dialog')
    },
  )

  inLongTier('the keyboard alone groups, compares, draws and saves', async () => {
    const { page } = await fresh(the.signedIn(pathOf(INVOICES, wide())))
    await rowsShown(page)
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const focus = async (name: string) => {
      for (let stops = 0; stops < 80; stops++) {
        const found = await page.evaluate(
          `(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()`,
        )
        if (found === name) return
        await press('Tab')
      }
      throw new Error(`Tab does not reach ${name}`)
    }
    await focus('Group')
    await press('Enter')
    await page.keyboard.type('customer name')
    await press('Tab', 'Enter', 'Escape')
    await page.locator('.grid [data-field=customer_name]').first().waitFor()
    await page.waitForURL(/group=customer_name/)
    await focus('Compare')
    await press('Enter', 'End', 'Enter')
    await page.waitForURL(/compare=year/)
    await focus('Bars')
    await press('Enter')
    await page.locator('.bar-list li').first().waitFor()
    await page.locator('#main').focus()
    await focus('Save view')
    await press('Enter')
    await page.keyboard.type('By keyboard')
    await press('Enter')
    await page.getByRole('heading', { name: 'By keyboard' }).waitFor()
  })
})
