/** The console as people use it: signing in, every report, sorting, filtering, totals, movements behind a figure, exports, links. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { describe, expect, it } from 'vitest'
import { reports } from '../../src/reports/index.js'
import { parse as decimal, sum } from '../oracle/decimal.js'
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
  toLastRow,
  wideRange,
} from '../setup/console.js'
import { requestsFor } from '../setup/requests.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, signInShared, fresh } = consoleForFile()

const month = () => ({ from_date: `${the.today.slice(0, 8)}01`, to_date: the.today })
const wide = () => wideRange(the)
const all = (id: string, values: Row, query?: Record<string, string | string[]>) => recordsOf(the, id, values, query)

describe('signing in', () => {
  it('a wrong password shows an error, the right one opens the overview; signing out ends the session', async () => {
    const { page, context, errors } = await fresh(the.newPage())
    await page.goto(the.base)
    await page.getByLabel('Username').fill(the.operator.username)
    await page.getByLabel('Password').fill('not the word')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').textContent()).toMatch(/password is wrong/)
    await signIn(page, the.operator)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(/[\w-]{40}/)
    const [session] = (await context.cookies()).filter(({ name }) => name.endsWith('millbook-session'))
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    await page.getByRole('button', { name: /settings/ }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    await context.addCookies([session as never])
    await page.reload()
    await page.getByLabel('Password').waitFor()
    expect(errors).toEqual([])
  })

  inLongTier('too many wrong passwords lock the name out, and the page says for how long', async () => {
    const password = await the.newUser('locked')
    const { page } = await fresh(the.newPage())
    await page.goto(the.base)
    await page.getByLabel('Username').fill('locked')
    for (let attempt = 0; attempt < 30; attempt++) {
      await page.getByLabel('Password').fill(`wrong ${attempt}`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Sign in', exact: true, disabled: false }).waitFor()
      if (/seconds|minute/.test((await page.getByRole('alert').textContent()) ?? '')) break
    }
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').textContent()).toMatch(/too many.*(seconds|minute)/i)
  })

  inLongTier('when a session ends, a dialog over the page signs in again and the view stays', async () => {
    const { page, errors } = await fresh(the.signedIn(pathOf('sales.invoices', wide())))
    const total = await rowsShown(page)
    await the.service.db`delete from api_token where username = ${the.operator.username} and client_id = 'console'`
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 1e9 }))
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    await page.getByLabel('Password').fill(the.operator.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page
      .locator(`.grid .row[aria-rowindex="${total + 1}"] .cell:not(:has(.skeleton))`)
      .first()
      .waitFor()
    const rows = await all('sales.invoices', wide())
    expectRow(await rowOf(page, total - 1), rows.at(-1) as Row)
    expect(errors).toEqual([])
    await signInShared() // signing out ended the shared session too
  })

  it("a reader sees only the reports of the reader's groups, and no pages of operators", async () => {
    const password = await the.newUser('reader', { groups: ['sales'] })
    const { page } = await fresh(the.newPage())
    await page.goto(the.base)
    await signIn(page, { username: 'reader', password })
    const links = await page
      .locator('.rail .links section a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links.length).toBeGreaterThan(3)
    expect(links.every((href) => href?.startsWith('/reports/sales.'))).toBe(true)
    await page.goto(`${the.base}/reports/inventory.fg-stock-status`)
    await page.getByText('There is no report inventory.fg-stock-status for you').waitFor()
    await page.goto(`${the.base}/operate/users`)
    await page.getByText('These pages are for operators').waitFor()
  })
})

describe('every report', () => {
  /** In the quick tier, a report with variants and one with lines. */
  const some = ['sales.gross-margin', 'sales.invoices']
  const asked = reports
    .filter(({ id }) => long || some.includes(id))
    .filter(({ request }) => !Object.values(request).some(({ required, type }) => required && type.kind === 'text'))
    .flatMap((report) => {
      const [first, ...others] = report.shapedBy === undefined ? [''] : [...report.shapes.keys()]
      return [first, ...(long ? others : [])].map((shape) => ({ report, shape: shape as string }))
    })
  it.each(asked.map(({ report, shape }) => [`${report.id} ${shape}`.trim(), report, shape] as const))(
    '%s: the first and the last row equal the records of the API',
    async (_name, report, shape) => {
      const found = requestsFor(report, wide()).find(
        (one) => report.shapedBy === undefined || one[report.shapedBy] === shape,
      )
      const values: Row = { ...found, ...('from_date' in report.request && wide()) }
      const { page, errors } = await open(pathOf(report.id, values))
      const rows = await all(report.id, values)
      expect(await rowsShown(page)).toBe(rows.length)
      if (rows.length === 0) {
        // The demo closes no period.
        expect(report.id).toBe('history.closed-periods')
        return
      }
      expectRow(await rowOf(page, 0), rows[0] as Row)
      await page.locator('.grid .row').first().locator('.cell:not(:has(.drill, .fold))').first().click()
      await page.locator('.panel .field').first().waitFor()
      expect(await page.locator('body').innerText()).not.toMatch(/`|undefined|\bNaN\b|\[object/)
      await page.keyboard.press('Escape')
      await toLastRow(page, rows.length)
      expectRow(await rowOf(page, rows.length - 1), rows.at(-1) as Row)
      expect(errors).toEqual([])
    },
  )

  inLongTier('totals are the exact sums over all rows, and with a filter over the matching rows', async () => {
    const id = 'inventory.fg-stock-status'
    const values = { type: 'FG', tax: '0', ...wide() }
    for (const filter of [[], ['Closing_qty>10']]) {
      const { page } = await open(
        `${pathOf(id, values)}${filter.map((one) => `&filter=${encodeURIComponent(one)}`).join('')}`,
      )
      const count = await rowsShown(page)
      const rows = (await all(id, values)).filter((row) => filter.length === 0 || Number(row['Closing_qty']) > 10)
      expect(count).toBe(rows.length)
      await page.locator('.grid .totals').waitFor()
      const value = page.locator('[data-total="final_value"] .num')
      const raw = (await value.getAttribute('data-raw')) ?? ''
      expect(decimal(raw, 4)).toBe(sum(rows.map((row) => decimal(String(row['final_value']), 4))))
      expect(Number(plain((await value.textContent()) ?? ''))).toBe(Number(raw))
      // Kilograms and pieces are not added up.
      const units = [...new Set(rows.map((row) => String(row['UoM'])))].sort()
      expect(units).toEqual(['KG', 'PCS'])
      for (const field of ['Opening_qty', 'Closing_qty']) {
        const shown = await page.locator(`[data-total="${field}"] .stacked > span`).allTextContents()
        const exact = units.map((unit) => [
          unit,
          sum(rows.filter((row) => row['UoM'] === unit).map((row) => decimal(String(row[field]), 4))),
        ])
        expect(
          shown.map((text) => text.split(' ')).map(([number = '', unit]) => [unit, decimal(plain(number), 4)]),
        ).toEqual(exact)
      }
    }
  })

  it('sorting by a header and filtering by the form give the same rows as sorting and filtering the JSON', async () => {
    const id = 'sales.sales-orders'
    const { page } = await open(pathOf(id, wide()))
    await rowsShown(page)
    await page
      .getByRole('columnheader', { name: /^Amount/ })
      .getByRole('button', { name: 'Amount ₹', exact: true })
      .click()
    await page.locator('[aria-sort=ascending]').waitFor()
    const rows = await all(id, wide())
    const cents = (row: Row) => BigInt(String(row['total_amt']).replace('.', ''))
    const smallest = rows.reduce((a, b) => (cents(b) < cents(a) ? b : a))
    await rowsShown(page)
    expect((await cellsOf(page, 0))['order_no']).toBe(smallest['order_no'])
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Column', { exact: true }).selectOption('order_status')
    await page.getByRole('checkbox', { name: 'Created' }).check()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Order status is Created', exact: true }).waitFor()
    expect(await rowsShown(page)).toBe(rows.filter((row) => row['order_status'] === 'CREATED').length)
    const word = String((rows[0] as { customer: Row })['customer']['customer_name']).split(' ')[0] as string
    await page.goto(the.base + pathOf(id, wide()))
    await rowsShown(page)
    await page.getByLabel('Search the rows of this report').fill(word)
    await page.waitForURL(/search=/)
    const found = await rowsShown(page)
    expect(found).toBe((await all(id, wide(), { search: word })).length)
    expect(found).toBeLessThan(rows.length)
  })

  inLongTier('a figure opens the movements behind it, which sum to it', async () => {
    const { page } = await open(
      pathOf('inventory.fg-stock-status', { type: 'FG', tax: '0', ...wide() }, { sort: '-Closing_qty' }),
    )
    await rowsShown(page)
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    for (const label of ['Closing quantity', 'Receipts quantity', 'Closing value']) {
      await page.locator('.panel .field', { hasText: label }).first().getByRole('button').click()
      await page.locator('.panel .word.good', { hasText: 'equal' }).waitFor()
      expect(await page.locator('.panel tbody tr').count()).toBeGreaterThan(0)
      await page.getByRole('button', { name: 'All fields' }).click()
    }
    await page.keyboard.press('Escape')
    await page.locator('.panel').waitFor({ state: 'detached' })
  })

  inLongTier('each format downloads the file that the API sends, and a reader can read it', async () => {
    const id = 'production.batches'
    const { page } = await open(pathOf(id, wide()))
    const total = await rowsShown(page)
    const get = async (name: string) => {
      await page.getByRole('button', { name: /Export/ }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: new RegExp(`^${name} about`) }).click(),
      ])
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
    }
    const csv = await get('CSV')
    expect(csv.name).toMatch(/^production-batches.*\.csv$/)
    expect(parse(csv.bytes, { columns: true })).toHaveLength(total)
    expect((await get('JSON lines')).bytes.toString().trim().split('\n')).toHaveLength(total)
    const { bytes } = await get('Parquet')
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
    expect(await parquetReadObjects({ file, compressors })).toHaveLength(total)
    expect((await get('Excel workbook')).bytes.subarray(0, 2).toString()).toBe('PK')
    expect(JSON.parse((await get('JSON')).bytes.toString()).data.length).toBeGreaterThan(0)
  })

  inLongTier('documents and their lines are two downloads', async () => {
    const { page } = await open(pathOf('sales.invoices', wide()))
    const total = await rowsShown(page)
    const get = async (name: string) => {
      await page.getByRole('button', { name: /Export/ }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: new RegExp(`^${name} about`) }).click(),
      ])
      return parse(readFileSync(await download.path()), { columns: true }) as Record<string, string>[]
    }
    const [documents, lines] = [await get('CSV of documents'), await get('CSV of lines')]
    expect(documents).toHaveLength(total)
    expect(lines.length).toBeGreaterThan(total)
    expect(Object.keys(lines[0] ?? {}).filter((name) => !name.startsWith('items_'))).toEqual([
      'invoice_date',
      'invoice_no',
    ])
  })

  inLongTier('the shown curl command works unchanged, with a token in the environment', async () => {
    const { page } = await open(pathOf('sales.order-status', { version: 'WR', ...month() }))
    await rowsShown(page)
    await page.getByRole('button', { name: 'Show the request as code' }).click()
    for (const name of ['curl', 'TypeScript', 'Python', 'Power Query']) {
      await page.getByRole('tab', { name }).click()
      const text = (await page.locator('pre.code').textContent()) ?? ''
      expect(text).toContain('v1/sales/order-status')
      expect(text).not.toMatch(/[\w-]{40}/)
    }
  })

  inLongTier('a link opens the same view in another browser', async () => {
    const path = `${pathOf('sales.invoices', wide(), { sort: '-total_amt' })}&filter=${encodeURIComponent('invoice_status=Submitted')}`
    const { page, errors } = await fresh(the.signedIn(path))
    const expected = await all('sales.invoices', wide(), { sort: '-total_amt', filter: ['invoice_status=Submitted'] })
    expect(await rowsShown(page)).toBe(expected.length)
    expectRow(await rowOf(page, 0), expected[0] as Row)
    expect(errors).toEqual([])
  })

  inLongTier('a link to a record opens it at any place in the table', async () => {
    const rows = await all('sales.order-status', { version: 'WR', ...wide() })
    expect(rows.length).toBeGreaterThan(100)
    const { page } = await open(pathOf('sales.order-status', { version: 'WR', ...wide() }))
    const total = await rowsShown(page)
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 1e9 }))
    const last = page.locator(`.grid .row[aria-rowindex="${total + 1}"] .cell:not(:has(.skeleton,.drill))`).first()
    await last.click()
    await page.locator('.panel').waitFor()
    const title = await page.locator('.panel h2').textContent()
    const { page: other } = await fresh(the.signedIn(page.url().slice(the.base.length)))
    await other.locator('.panel h2', { hasText: title as string }).waitFor()
  })

  it('an empty range says so and names the day of the last records', async () => {
    const { page } = await open(pathOf('sales.invoices', { from_date: '2040-01-01', to_date: '2040-01-31' }))
    await page.getByText(/The last record is from/).waitFor()
    await page.getByRole('button', { name: /^Show \w{3} \d{4}/ }).click()
    expect(await rowsShown(page)).toBeGreaterThan(0)
  })

  it('a link with an unknown field says so and can be reset', async () => {
    const { page } = await open(pathOf('sales.invoices', month(), { filter: 'nonsense=3', sort: '-nothing' }))
    const said = page.getByRole('alert')
    await said.getByText('This link asks for something that the report does not have').waitFor()
    expect(await said.textContent()).toMatch(/nonsense/)
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Export/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Reset this view' }).click()
    await page.waitForURL(`${the.base}/reports/sales.invoices`)
    expect(await rowsShown(page)).toBe((await all('sales.invoices', month())).length)
    expect(await page.getByRole('button', { name: /^Export/ }).isDisabled()).toBe(false)
  })

  it.each(long ? ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] : [])(
    'in %s, today is the day of the account',
    async (timezoneId) => {
      const dayThere = () => new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kolkata' }).format()
      const before = dayThere()
      const { page } = await fresh(the.signedIn('/reports/sales.invoices', { timezoneId }))
      await page.getByRole('button', { name: /^\d+ .*\d{4}$/ }).click()
      await page.getByRole('button', { name: /^Today/ }).click()
      await page.waitForURL(/to_date/)
      const { searchParams } = new URL(page.url())
      expect([before, dayThere()]).toContain(searchParams.get('from_date'))
      expect(searchParams.get('to_date')).toBe(searchParams.get('from_date'))
    },
  )

  it('a text that looks like markup is shown as text', async () => {
    const name = `<img src=x onerror="document.title='taken'">`
    const [item] = await the.service.db<
      { id: number; name: string }[]
    >`select id, name from item where type = 'FG' and active limit 1`
    await the.service.db.begin(async (tx) => {
      await tx`update item set name = ${name} where id = ${item?.id as number}`
      await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
    })
    const { page, errors } = await open('/reports/masters.finished-goods')
    await rowsShown(page)
    await page.getByText(name).first().waitFor()
    expect(await page.title()).not.toBe('taken')
    await the.service.db.begin(async (tx) => {
      await tx`update item set name = ${item?.name as string} where id = ${item?.id as number}`
      await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
    })
    expect(errors).toEqual([])
  })
})
