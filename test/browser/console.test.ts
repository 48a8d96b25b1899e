/** The console as people use it: signing in, every report, sorting, filtering, totals, movements behind a figure, loads, faults. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { describe, expect, it, onTestFinished } from 'vitest'
import { reports } from '../../src/reports/index.js'
import {
  cellsOf,
  consoleForFile,
  expectRow,
  type Opened,
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
      expectRow(await rowOf(page, 0), rows[0] as Row)
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
      for (const field of ['Opening_qty', 'Closing_qty', 'final_value']) {
        const exact = rows.reduce((sum, row) => sum + BigInt(String(row[field]).replace('.', '')), 0n)
        const sum = page.locator(`[data-total="${field}"] .num`)
        const raw = (await sum.getAttribute('data-raw')) ?? ''
        expect([field, BigInt(raw.replace('.', ''))]).toEqual([field, exact])
        expect([field, Number(plain((await sum.textContent()) ?? ''))]).toEqual([field, Number(raw)])
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
    await page.getByRole('button', { name: 'Reset this view' }).click()
    await page.waitForURL(`${the.base}/reports/sales.invoices`)
    expect(await rowsShown(page)).toBe((await all('sales.invoices', month())).length)
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

describe('operators', () => {
  const secretOf = async (page: Opened['page'], name: string) => {
    const text = await page.locator('.secret').last().textContent()
    await page.getByRole('button', { name: 'I have kept it' }).click()
    expect(text).toMatch(/^[\w-]{20,}$/)
    expect(await page.content()).not.toContain(text)
    return [name, text as string] as const
  }

  it('a new client gets tokens with its secret and with a new secret, and disabling it ends its tokens', async () => {
    const { page } = await open('/operate/clients')
    await page.getByRole('button', { name: 'New client' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Nightly <b>pull</b>')
    await page.getByLabel('All groups').check()
    await page.getByRole('button', { name: 'Create' }).click()
    const [, id = ''] = /^(.+)$/.exec((await page.locator('.secret').first().textContent()) ?? '') ?? []
    const [, secret] = await secretOf(page, 'secret')
    const token = (client_secret: string) =>
      the.service.app.inject({
        method: 'POST',
        url: '/oauth2/token',
        payload: { grant_type: 'client_credentials', client_id: id, client_secret },
      })
    const first = (await token(secret)).json().access_token as string
    const call = () => the.service.call({ method: 'GET', path: '/v1/warehouse/warehouse-list', token: first })
    expect((await call()).statusCode).toBe(200)
    const actions = page.getByRole('button', { name: 'Actions for Nightly <b>pull</b>' })
    await actions.click()
    await page.getByRole('button', { name: 'New secret…' }).click()
    await page.getByRole('button', { name: 'Make a new secret' }).click()
    const [, second] = await secretOf(page, 'secret')
    expect((await token(second)).statusCode).toBe(200)
    await actions.click()
    await page.getByRole('button', { name: 'Disable…' }).click()
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByText('disabled').waitFor()
    expect((await call()).statusCode).toBe(401)
    await page.goto(`${the.base}/operate/audit?client=${encodeURIComponent('Nightly <b>pull</b>')}`)
    await page.getByRole('rowheader', { name: 'client.disable' }).waitFor()
    expect(await page.getByRole('cell', { name: the.operator.username, exact: true }).count()).toBeGreaterThan(0)
  })

  inLongTier('a new user signs in with the generated password; operators cannot lock themselves out', async () => {
    const { page } = await open('/operate/users')
    await page.getByRole('button', { name: 'New user' }).click()
    await page.getByLabel('Username').fill('neha')
    await page.getByLabel('Only these groups').check()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('tick at least one, or choose all groups').waitFor()
    await page.getByRole('checkbox', { name: 'Sales' }).check()
    await page.getByRole('button', { name: 'Create' }).click()
    // Neither Escape nor a click beside it loses the password.
    await page.locator('.secret').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.keyboard.press('Escape')
    const [, password] = await secretOf(page, 'password')
    const other = await fresh(the.newPage())
    await other.page.goto(the.base)
    await signIn(other.page, { username: 'neha', password })
    await page.getByRole('button', { name: `Actions for ${the.operator.username}` }).click()
    await page.getByRole('button', { name: 'Disable…' }).click()
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.goto(`${the.base}/operate/sessions`)
    await page.getByRole('button', { name: 'End the token of neha' }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByRole('button', { name: 'End the token of neha' }).waitFor({ state: 'detached' })
    const ended = other.page.getByRole('heading', { name: 'Your session has ended' })
    // The next request of the page finds the session ended: a figure of the overview, or this click.
    await Promise.race([ended.waitFor(), other.page.getByRole('link', { name: 'Invoices' }).click()])
    await ended.waitFor()
  })

  inLongTier(
    'files of an import need no mapping: errors are listed in a table, rows are counted, and nothing is stored',
    async () => {
      const { page } = await open('/operate/import')
      const version = () => the.service.db<{ version: string }[]>`select version from data_version`
      const before = await version()
      const files = page.getByLabel('Files to bring in')
      const header = 'sku,name,type,unit\n'
      const attempt = (text: string) =>
        files.setInputFiles([{ name: 'items.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }])
      await attempt(`${header}NEW-1,New,NONSENSE,KG\n`)
      await page.getByText('nothing would be loaded').waitFor()
      const row = await page.getByRole('table', { name: 'Errors' }).locator('tbody tr').first().textContent()
      expect(row).toMatch(/items\.csv.*2.*type.*NONSENSE/)
      expect(await page.getByRole('button', { name: 'Load' }).isDisabled()).toBe(true)
      await attempt(`${header}NEW-1,New,FG,KG\n`)
      await page.getByText('1 row would be loaded').waitFor()
      if (long) {
        await attempt(header)
        await page.getByText('the file has columns, but no row below them').waitFor()
        await page.locator('.verdict').getByText('no rows').waitFor()
      }
      await attempt('')
      await page.getByText('items.csv is empty: it has neither columns nor rows').waitFor()
      await files.setInputFiles([{ name: 'strange.pdf', mimeType: 'application/pdf', buffer: Buffer.from('a\n') }])
      await page.getByText('strange.pdf is neither a workbook nor a file of an import').waitFor()
      expect(await version()).toEqual(before)
      expect(await the.service.db`select from item where sku = 'NEW-1'`).toHaveLength(0)
      await page.getByRole('button', { name: 'Begin anew' }).click()
      await page.getByText('Choose files, or drop them here').waitFor()
    },
  )

  it.each(long ? [390, 820, 1280] : [])(
    'at %i px every cell and every action of the lists is in view',
    async (width) => {
      const { page } = await fresh(the.signedIn('/operate/clients', { viewport: { width, height: 844 } }))
      await page.getByRole('button', { name: 'New client' }).click()
      await page.getByLabel('Name', { exact: true }).fill(`n${width}`.padEnd(100, 'a-name-without-spaces'))
      await page.getByLabel('All groups').check()
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('button', { name: 'I have kept it' }).click()
      for (const name of long ? ['clients', 'users', 'sessions', 'audit', 'loads'] : ['clients', 'loads']) {
        await page.goto(`${the.base}/operate/${name}`)
        const table = page.locator('.cards')
        await table.locator('tbody tr').first().waitFor()
        if (name === 'loads') await table.locator('tbody button').first().click()
        const outside =
          await page.evaluate(`[...document.querySelectorAll('.cards :is(td, th[scope=row]), .cards button')]
        .filter((cell) => {
          const { left, right } = cell.getBoundingClientRect()
          return left < 0 || right > innerWidth || cell.scrollWidth > cell.clientWidth + 1
        }).map(({ outerHTML }) => outerHTML.slice(0, 200))`)
        expect([name, outside]).toEqual([name, []])
        expect(await table.getByRole('rowheader').count()).toBeGreaterThan(0)
      }
      await page.goto(`${the.base}/operate/clients`)
      await page
        .getByRole('button', { name: /^Actions for/ })
        .last()
        .click()
      const last = page.getByRole('button', { name: 'Delete…' })
      await last.scrollIntoViewIfNeeded()
      const isOnTop = `(({ left, top, width, height }) =>
      document.elementFromPoint(left + width / 2, top + height / 2).textContent)(
        [...document.querySelectorAll('.popover .item')].at(-1).getBoundingClientRect())`
      expect(await page.evaluate(isOnTop)).toBe('Delete…')
      // The table did not scroll to show the menu.
      expect(await page.locator('.operate .content').evaluate((around) => around.scrollTop)).toBe(0)
    },
  )

  it('loads are listed with their counts', async () => {
    const { page } = await open('/operate/loads')
    await page.locator('.data tbody tr').first().getByRole('button').click()
    await page.getByRole('rowheader', { name: 'Stock movements' }).waitFor()
  })
})

describe('the whole', () => {
  it('a new load is announced without reloading the rows, and showing it keeps the scroll position', async () => {
    const { page } = await open(pathOf('sales.invoices', wide()))
    await rowsShown(page)
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 640 }))
    await the.service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByRole('button', { name: /Newer data is available/ }).click()
    await page.getByRole('button', { name: /Newer data is available/ }).waitFor({ state: 'detached' })
    await rowsShown(page)
    expect(await page.locator('.grid').evaluate((grid) => grid.scrollTop)).toBe(640)
  })

  it('the keyboard alone opens a report, moves through it, opens a record and closes it', async () => {
    const { page } = await open('/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('batches')
    await page.getByRole('option', { name: /^Batches/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Batches' }).waitFor()
    await rowsShown(page)
    await page.locator('.grid [tabindex="0"]').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction(
      `document.activeElement.dataset.column === '1' && document.activeElement.closest('[aria-rowindex="3"]')`,
    )
    await page.keyboard.press('Enter')
    await page.locator('.panel').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByText(/^3 of /).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.panel').waitFor({ state: 'detached' })
  })

  inLongTier('the palette finds items, orders and batches', async () => {
    const { page } = await open('/reports/masters.warehouse-list')
    const [order] = await all('sales.sales-orders', wide())
    const number = String(order?.['order_no'])
    await rowsShown(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type(number)
    await page
      .getByRole('option', { name: new RegExp(number) })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/orders\//)
    await page.getByRole('heading', { name: number }).waitFor()
  })

  inLongTier('Enter in the palette takes the first hit, even if it is pressed before the hits arrive', async () => {
    const { page } = await open('/reports/masters.warehouse-list')
    const [order, other] = await all('sales.sales-orders', wide())
    await rowsShown(page)
    let answer = () => {}
    const released = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/v1/search?*', async (route) => {
      await released
      await route.continue()
    })
    onTestFinished(() => page.unroute('**/v1/search?*'))
    await page.keyboard.press('Control+k')
    await page.keyboard.type(String(order?.['order_no']))
    await page.keyboard.press('Enter')
    answer()
    await page.waitForURL(/\/orders\//)
    expect(decodeURIComponent(page.url())).toContain(String(order?.['order_no']))
    // Enter does not take a hit of the text typed before.
    await page.keyboard.press('Control+k')
    await page.keyboard.type(String(order?.['order_no']))
    await page
      .getByRole('option', { name: /Sales order/ })
      .first()
      .waitFor()
    await page.getByRole('combobox').fill(String(other?.['order_no']))
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => decodeURIComponent(url.href).includes(String(other?.['order_no'])))
  })

  const screens = [['dark', 1280], ['light', 1280], ['dark', 390], ['light', 390]] as ['dark' | 'light', number][] // biome-ignore format: pairs
  it.for(screens)('%s at %i px: axe finds no fault on any page', async ([colorScheme, width], { skip }) => {
    if (!long) skip('in the long tier only')
    const { page } = await fresh(the.newPage({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true }))
    const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
    const check = async () => {
      // A colour in transition may have too little contrast; endless animations are waiting indicators.
      await page.evaluate(`Promise.allSettled(document.getAnimations()
        .filter((animation) => animation.effect.getComputedTiming().endTime < Infinity)
        .map(({ finished }) => finished))`)
      await page.evaluate(axe)
      const found = await page.evaluate(async () => {
        const { violations } = await (
          globalThis as never as { axe: { run(): Promise<{ violations: Violation[] }> } }
        ).axe.run()
        interface Violation {
          id: string
          nodes: { html: string; failureSummary: string }[]
        }
        return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`)
      })
      expect(found).toEqual([])
    }
    await page.goto(the.base)
    await page.getByLabel('Username').waitFor()
    await check()
    await signIn(page, the.operator)
    await page.locator('.pin').first().waitFor()
    await expect.poll(() => page.locator('.pin [aria-busy=true]').count()).toBe(0)
    await check()
    for (const path of [
      pathOf('sales.invoices', month()),
      pathOf('inventory.fg-stock-status', { type: 'FG', tax: '0', ...month() }, { show: 'chart' }),
      pathOf('production.batches', { from_date: '2040-01-01', to_date: '2040-01-31' }),
    ]) {
      await page.goto(the.base + path)
      await rowsShown(page)
      await check()
    }
    await page.goto(the.base + pathOf('sales.invoices', wide()))
    await rowsShown(page)
    await page.locator('.grid .fold').first().click()
    await check()
    for (const name of ['Filter', 'Show the request as code']) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.locator('dialog[open]').waitFor()
      await check()
      await page.keyboard.press('Escape')
    }
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page.locator('.panel').waitFor()
    await check()
    await page.keyboard.press('Control+k')
    await page.getByRole('option').first().waitFor()
    await check()
    await page.keyboard.press('Escape')
    for (const name of ['clients', 'users', 'sessions', 'audit', 'loads', 'import']) {
      await page.goto(`${the.base}/operate/${name}`)
      await page.locator('.operate .data, .operate .drop').first().waitFor()
      await check()
    }
    await page.goto(`${the.base}/operate/nothing-here`)
    await page.getByText('This page does not exist').waitFor()
  })

  const pages = ['/', '/operate/clients', '/operate/import', '/operate/audit']
  it.each(long ? ['/reports/sales.invoices', ...pages] : [])(
    '%s: every stop of Tab has a visible focus and a name',
    async (path) => {
      const { page } = await open(path)
      await page.locator('.pin .value, .grid[aria-busy=false], .operate .cards, .operate .drop').first().waitFor()
      // Tables, grids and regions have names as well.
      const nameless = `[...document.querySelectorAll('table, [role=grid], [role=region], dialog, nav, svg[role]')].filter((element) =>
        !element.caption && !element.ariaLabel && !element.closest(':is([role=region], [role=group])[aria-label]')).map(({ outerHTML }) => outerHTML.slice(0, 100))`
      expect(await page.evaluate(nameless)).toEqual([])
      const stop = () =>
        page.evaluate(`(() => {
          const element = document.activeElement
          if (element === document.body) return undefined
          const isMarked = (one) => one != null && getComputedStyle(one).outlineStyle !== 'none'
          const { right, left, width } = element.getBoundingClientRect()
          const { ariaLabel, textContent, labels, title } = element
          return {
            element: element.outerHTML.slice(0, 120),
            marked: isMarked(element) || isMarked(element.parentElement),
            inView: width > 0 && right > 0 && left < innerWidth,
            named: [ariaLabel, textContent, labels?.[0]?.textContent, title].some((text) => text?.trim()),
          }
        })()`)
      let stops = 0
      for (; stops < 150; stops++) {
        await page.keyboard.press('Tab')
        const found = (await stop()) as { element: string } | undefined
        if (found === undefined) break
        expect(found).toEqual({ element: found.element, marked: true, inView: true, named: true })
      }
      expect(stops).toBeGreaterThan(30)
    },
  )

  inLongTier('a dialog keeps Tab inside, and returns the focus when it closes', async () => {
    const { page } = await open('/operate/clients')
    const button = page.getByRole('button', { name: 'New client' })
    await button.click()
    await page.locator('dialog[open]').waitFor()
    for (let at = 0; at < 30; at++) {
      await page.keyboard.press('Tab')
      // Between the last stop and the first, the browser itself has the focus.
      expect(
        await page.evaluate(
          `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
        ),
      ).toBe(true)
    }
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true)
  })

  inLongTier('at 360 px nothing is wider than the screen, and the rail is a drawer', async () => {
    const { page } = await fresh(the.signedIn('/', { viewport: { width: 360, height: 740 } }))
    await page.locator('.pin').first().waitFor()
    const fits = () => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
    expect(await fits()).toBe(true)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Invoices' }).click()
    await rowsShown(page)
    expect(await fits()).toBe(true)
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page.locator('.panel').waitFor()
    expect(await fits()).toBe(true)
  })

  it.each(long ? [1024, 390] : [])(
    'at %i px no text is cut off without a title that has the whole text',
    async (width) => {
      const { page } = await fresh(the.signedIn('/', { viewport: { width, height: 844 } }))
      const filter = { filter: 'Product_sku~a text that is much longer than any chip should ever become on a screen' }
      for (const path of [
        pathOf('inventory.fg-stock-status', { type: 'FG', tax: '0', ...wide() }, filter),
        pathOf('sales.order-status', { version: 'WR', ...wide() }),
        ...(long ? ['clients', 'users', 'sessions', 'audit', 'loads', 'import'] : ['import']).map(
          (name) => `/operate/${name}`,
        ),
      ]) {
        await page.goto(the.base + path)
        await page.locator('.grid[aria-busy=false], .main > .state, .operate .data, .operate .drop').first().waitFor()
        const cut = await page.evaluate(`[...document.querySelectorAll(
        '.title *, .toolbar *, .status *, .operate > .scroll > p, .drop *',
      )].filter((element) => {
        const { right, width } = element.getBoundingClientRect()
        const isClipped = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflow === 'hidden'
        return (width > 0 && right > innerWidth) || (isClipped && element.closest('[title]') === null)
      }).map(({ outerHTML }) => outerHTML.slice(0, 200))`)
        expect([path, cut]).toEqual([path, []])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    },
  )

  it('the first view takes at most 120 KB of compressed script', async () => {
    const { page } = await fresh(the.newPage())
    const scripts: Promise<number>[] = []
    page.on('response', (response) => {
      if (/\.js$/.test(new URL(response.url()).pathname))
        scripts.push(response.body().then((body) => gzipSync(body).length))
    })
    await page.goto(the.base)
    await signIn(page, the.operator)
    await page.locator('.pin').first().waitFor()
    const sizes = await Promise.all(scripts)
    expect(sizes.length).toBeGreaterThan(0)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(120_000)
  })
})
