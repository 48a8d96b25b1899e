/** The console's way in: files are dropped, corrected by menus, loaded and taken back; large files and files that lie. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connect, lockLoads } from '../../src/db/connect.js'
import { type Console, type Opened, rowsShown, signIn, startConsole } from '../setup/console.js'
import { makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { run, start } from '../setup/program.js'
import { inLongTier, long } from '../setup/tier.js'
import { writeXlsx, type XlsxCell } from '../setup/xlsx.js'

let the: Console
beforeAll(async () => {
  the = await startConsole()
})
afterAll(() => the.close())

const fresh = async (opened: Promise<Opened>): Promise<Opened> => {
  const found = await opened
  onTestFinished(() => found.context.close())
  return found
}

const ITEMS: readonly (readonly [string, string, string, number])[] = [
  ['FG-01', 'Aloo Bhujia 200 g', 'PCS', 35],
  ['FG-02', 'Moong Dal 400 g', 'PCS', 62.5],
  ['FG-03', 'Besan Laddu', 'KG', 240],
]
const PARTIES = ['Sharma Stores', 'Gupta Traders', 'Deccan Mart']
/** 1 April 2026 as spreadsheet programs store it. */
const day = (n: number) => ({ date: 46113 + n })
const HEAD = ['Date', 'Party', 'Voucher No.', 'Item', 'Qty', 'Unit', 'Rate', 'Amount']

/** Vouchers of two lines each: the second line has blank cells where it repeats the first. */
function vouchers(count: number, { blank = true } = {}): { rows: XlsxCell[][]; total: number } {
  const rows: XlsxCell[][] = []
  let total = 0
  for (let i = 0; i < count; i++)
    for (const line of [0, 1]) {
      const [, name, unit, rate] = ITEMS[(i + line) % 3] as (typeof ITEMS)[number]
      const head = blank && line > 0 ? [null, null, null] : [day(i % 300), PARTIES[i % 3] as string, `S/${i + 1}`]
      rows.push([...head, name, 10, unit, rate, 10 * rate])
      total += 10 * rate
    }
  return { rows, total }
}

/** A sales register as Tally exports it, and a list of items with their opening stock. */
async function workbooks(): Promise<{ paths: string[]; total: number }> {
  const folder = tempFolder()
  const paths = [join(folder, 'Sales April.xlsx'), join(folder, 'Stock.xlsx')]
  const { rows, total } = vouchers(6)
  const register = [['Annapurna Foods'], ['Sales Register'], [], HEAD, ...rows]
  await writeXlsx(paths[0] as string, {
    Sales: [...register, [null, null, 'Grand Total', null, null, null, null, total]],
    Notes: [['Remember the return']],
  })
  await writeXlsx(paths[1] as string, {
    Items: [
      ['Item Code', 'Item Name', 'Group', 'UOM', 'HSN', 'Opening Qty', 'Opening Value'],
      ...ITEMS.map(([code, name, unit, rate]) => [code, name, 'Snacks', unit, '21069099', 100, 60 * rate]),
    ],
  })
  return { paths, total }
}

async function drop(page: Page, files: Parameters<ReturnType<Page['getByLabel']>['setInputFiles']>[0]): Promise<void> {
  await ready(page)
  await page.getByLabel('Files to bring in').setInputFiles(files)
}

/** The page with no files of an earlier test, which it would find again. */
async function ready(page: Page): Promise<void> {
  await page.locator('.bring[aria-busy=false]').waitFor()
  const anew = page.getByRole('button', { name: 'Begin anew' })
  if ((await anew.count()) > 0) await anew.click()
  await page.getByText('Choose files, or drop them here').waitFor()
}
/** Waits until nothing runs, and returns the verdict. */
async function verdict(page: Page): Promise<string> {
  await page.locator('.bar .verdict > .word').waitFor()
  return (await page.locator('.bar .verdict').innerText()).replace(/\s+/g, ' ')
}
const stored = async () => {
  const counts = await the.service.db<Record<string, number>[]>`
    select (select count(*)::int from item) as items, (select count(*)::int from customer) as customers,
           (select count(*)::int from invoice) as invoices, (select count(*)::int from invoice_line) as lines,
           (select count(*)::int from stock_movement) as movements`
  return counts[0]
}
const NOTHING = { items: 0, customers: 0, invoices: 0, lines: 0, movements: 0 }
const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) })
/** The menu above a column of the sheet. */
const menu = (page: Page, heading: string) => page.getByLabel(`What ${heading} is`)

async function axe(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'))
  return await page.evaluate(async () => {
    const found = await (
      globalThis as never as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> }
      }
    ).axe.run()
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`)
  })
}

describe('from workbooks to the first report', () => {
  inLongTier(
    'an empty account leads to files; they are corrected by menus, loaded, reported, and taken back',
    async () => {
      const { paths, total } = await workbooks()
      const { page, errors } = await fresh(the.signedIn('/'))
      await page.getByText('This account has no data yet').waitFor()
      await page
        .getByRole('region', { name: 'Begin' })
        .getByRole('link', { name: /Bring in files/ })
        .click()
      await drop(page, paths)
      // What nothing in the files says is asked for, and the first try shows it as errors.
      expect(await verdict(page)).toMatch(/^3 errors/)
      await tab(page, 'Items').click()
      await page.getByRole('button', { name: /^Stock movements/ }).click()
      await page.getByText('nothing says of which day this stock is').waitFor()
      await page.getByLabel(/^Movement date/).fill('2026-03-31')
      await page.getByLabel(/^Movement date/).blur()
      await expect.poll(() => verdict(page)).toMatch(/^no errors/)
      // Two columns are corrected: the price of an item is not its opening value, and the group is its category.
      await page.getByRole('button', { name: /^Items/ }).click()
      await menu(page, 'HSN').selectOption({ label: 'leave out' })
      await menu(page, 'Group').selectOption({ label: 'leave out' })
      await page.getByText('Corrected: trying again').waitFor()
      expect(await verdict(page)).toMatch(/^no errors/)
      const account = page.getByRole('table', { name: 'Rows of each sheet' })
      await account.getByText('Voucher No. is like *total*: row 17').first().waitFor()
      await page.getByRole('table', { name: 'Figures' }).getByText('20,250.00').first().waitFor()
      expect(await stored(), 'a try stores nothing').toEqual(NOTHING)

      await page.getByLabel('Keep the mapping as').fill('Sales, monthly')
      await page.getByRole('button', { name: /^Load \d+ rows/ }).click()
      await page.getByText('loaded: the data has version 1').waitFor()
      expect(await stored()).toEqual({ items: 3, customers: 3, invoices: 6, lines: 12, movements: 3 })
      const [item] = await the.service.db`select hsn, product_category from item where sku = 'FG-01'`
      expect(Object.values(item ?? {}).every((value) => value === '' || value === null)).toBe(true)
      const [sum] = await the.service.db<
        { sum: string }[]
      >`select sum(sub_total)::numeric(12, 2)::text as sum from invoice`
      expect(sum?.sum, "the sheet's own total").toBe(total.toFixed(2))

      await page.getByRole('link', { name: 'Invoices', exact: true }).click()
      await page.goto(`${the.base}/reports/sales.invoices?from_date=2026-04-01&to_date=2026-04-30`)
      expect(await rowsShown(page)).toBe(6)
      await page.goto(`${the.base}/operate/loads`)
      await page.getByRole('cell', { name: 'Sales, monthly' }).waitFor()
      await page.getByRole('link', { name: 'Take it back' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
      await page.getByText('the data is as it was before the load, as version 2').waitFor()
      expect(await stored()).toEqual(NOTHING)
      const acts = await the.service.db<{ act: string }[]>`
      select act from audit_entry where act ~ '^(load|mapping)' order by id`
      expect(acts.map(({ act }) => act)).toEqual(['mapping.keep', 'load.begin', 'load.undo'])
      expect(errors).toEqual([])
    },
  )

  inLongTier("next month's files take one drop: the kept mapping that fits them is chosen", async () => {
    const { paths } = await workbooks()
    const { page } = await fresh(the.signedIn('/operate/import'))
    await drop(page, paths)
    expect(await verdict(page)).toMatch(/^no errors/)
    await expect.poll(() => page.getByLabel('Read them by').inputValue()).toBe('Sales, monthly')
    await tab(page, 'Items').click()
    await page.getByRole('button', { name: /^Items/ }).click()
    expect(await menu(page, 'Group').inputValue()).toBe('')

    // Leaving the page and coming back, or opening it elsewhere, finds the files.
    await page.goto(`${the.base}/operate/loads`)
    await page.goto(`${the.base}/operate/import`)
    expect(await verdict(page)).toMatch(/^no errors/)
    expect(await tab(page, 'Sales').count()).toBe(1)
    await page.getByLabel('Read them by').selectOption({ label: 'a new proposal' })
    await expect.poll(() => verdict(page)).toMatch(/^3 errors/)
    await page.getByRole('button', { name: 'Begin anew' }).click()
    await page.getByText('Choose files, or drop them here').waitFor()
  })

  inLongTier('an error is shown on its cell, and the mapping can be edited as text', async () => {
    const { page } = await fresh(the.signedIn('/operate/import'))
    const path = join(tempFolder(), 'items.xlsx')
    await writeXlsx(path, {
      Items: [
        ['Item Code', 'Item Name', 'UOM', 'MRP'],
        ['A-1', 'One', 'PCS', 12],
        ['A-2', 'Two', 'PCS', 'twelve'],
      ],
    })
    await drop(page, path)
    await verdict(page)
    await menu(page, 'MRP').selectOption({ label: 'MRP' })
    await expect.poll(() => verdict(page)).toMatch(/^1 error /)
    const faulty = page.locator('.peek td.faulty')
    expect(await faulty.innerText()).toMatch(/^twelve\s+expected/)
    await page.getByRole('table', { name: 'Errors' }).getByRole('cell', { name: 'D3', exact: true }).waitFor()
    await page.getByText('Edit the mapping as text').click()
    const text = page.getByLabel('The mapping as text')
    await text.fill((await text.inputValue()).replace(/^.*MRP.*\n/m, ''))
    await page.getByRole('button', { name: 'Use this text' }).click()
    await expect.poll(() => verdict(page)).toMatch(/^no errors 2 rows|^no errors/)
    expect(await menu(page, 'MRP').inputValue()).toBe('')
    await text.fill('entities: [')
    await page.getByRole('button', { name: 'Use this text' }).click()
    await page
      .getByRole('alert')
      .getByText(/mapping cannot be read/)
      .waitFor()
    await page.getByRole('button', { name: 'Begin anew' }).click()
  })

  inLongTier(
    'a service that restarts: the page says so, takes the files again and loads them; nothing is half loaded',
    async () => {
      const made = await makeTarget('migrated', 'server')
      onTestFinished(() => made.drop())
      const snapshots = tempFolder()
      let port = '0'
      const serve = async () => {
        const served = start(['serve', '--port', port, '--json', '--snapshots-in', snapshots, ...made.flags])
        const { base_url } = JSON.parse(await served.firstLine) as { base_url: string }
        port = new URL(base_url).port // the page comes back to the same address
        return { served, base_url }
      }
      const database = await connect(made.target)
      onTestFinished(() => database.close())
      const counts = async () => {
        const [row] = await database.db<Record<string, number>[]>`
        select (select count(*)::int from item) as items, (select count(*)::int from customer) as customers,
               (select count(*)::int from invoice) as invoices, (select count(*)::int from invoice_line) as lines,
               (select count(*)::int from load_log) as loads`
        return row
      }
      const none = { items: 0, customers: 0, invoices: 0, lines: 0, loads: 0 }
      const { base_url, ...first } = await serve()
      let { served } = first
      expect((await run(['user', 'create', 'asha', '--operator', ...made.flags])).code).toBe(0)
      const link = await run(['user', 'link', 'asha', '--url', base_url, '--json', ...made.flags])
      const { page } = await fresh(the.newPage())
      await page.goto(JSON.parse(link.stdout).url)
      await page.locator('.rail').waitFor()
      await page.goto(`${base_url}/operate/import`)

      // While the files lie there, looked at and tried.
      const { rows } = vouchers(6)
      const file = join(tempFolder(), 'Sales.xlsx')
      await writeXlsx(file, { Sales: [HEAD, ...rows] })
      const load = page.getByRole('button', { name: /^Load \d+ rows/ })
      await drop(page, file)
      expect(await verdict(page)).toMatch(/^no errors/)
      served.process.kill('SIGTERM')
      await served.ended
      ;({ served } = await serve())
      await load.click()
      const gone = page.getByRole('alert').getByText('These files are gone')
      await gone.waitFor()
      expect(await gone.textContent()).toMatch(/the service was restarted.*send them again/)
      expect(await counts()).toEqual(none)

      // During the load, which waits for another one.
      await drop(page, file)
      expect(await verdict(page)).toMatch(/^no errors/)
      const release = await lockLoads(made.target, () => {})
      onTestFinished(release)
      await load.click()
      await page.getByText('Waiting for a running load').waitFor()
      served.process.kill('SIGKILL')
      await served.ended
      await page.getByText('Waiting for the service, which does not answer').first().waitFor()
      ;({ served } = await serve())
      await gone.waitFor()
      expect(await gone.textContent()).toMatch(/had not ended has stored nothing.*send them again/)
      await release()
      expect(await counts()).toEqual(none)

      await drop(page, file)
      expect(await verdict(page)).toMatch(/^no errors/)
      await load.click()
      await page.getByText('loaded: the data has version 1').waitFor()
      expect(await counts()).toEqual({ items: 3, customers: 3, invoices: 6, lines: 12, loads: 1 })
    },
  )

  it.each(long ? (['light', 'dark'] as const) : [])(
    '%s: axe finds no fault, at 1280 and at 390 px nothing is wider than the screen; the keyboard alone is enough',
    async (colorScheme) => {
      const { paths } = await workbooks()
      const { page } = await fresh(the.newPage({ colorScheme, bypassCSP: true }))
      await page.goto(`${the.base}/operate/import`)
      await signIn(page, the.operator)
      await page.getByText('Choose files, or drop them here').waitFor()
      if (long) expect(await axe(page)).toEqual([])
      await drop(page, paths)
      await verdict(page)
      expect(await axe(page)).toEqual([])
      await byKeyboard(page)
      await tab(page, 'Sales').click()
      await page
        .getByRole('button', { name: /^How Party is read/ })
        .first()
        .click()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await axe(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await page.getByRole('button', { name: 'Begin anew' }).click()
      if (!long) return
      await page.goto(the.base)
      await page.getByText('This account has no data yet').waitFor()
      expect(await axe(page)).toEqual([])
    },
  )

  /** Leaves a column of the items out. */
  async function byKeyboard(page: Page): Promise<void> {
    await tab(page, 'Sales').focus()
    await page.keyboard.press('ArrowRight')
    expect(await tab(page, 'Items').getAttribute('aria-selected')).toBe('true')
    expect(await tab(page, 'Items').evaluate((element) => element.matches(':focus'))).toBe(true)
    const reached = new Set<string>()
    for (let stop = 0; stop < 60; stop++) {
      await page.keyboard.press('Tab')
      reached.add(
        await page.evaluate(
          '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent ?? "").slice(0, 40)',
        ),
      )
    }
    for (const name of ['What Item Code is', 'What Opening Qty is', 'Try'])
      expect([...reached], `${name} is a stop`).toContain(name)
    await menu(page, 'HSN').focus()
    await page.keyboard.press('Home')
    await expect.poll(() => menu(page, 'HSN').inputValue()).toBe('')
  }
})

const ROWS = 100_000
const grouped = ROWS.toLocaleString('en-US')

describe('large files and files that lie', () => {
  inLongTier(`${grouped} rows stay usable`, async () => {
    const path = join(tempFolder(), 'Sales.xlsx')
    await writeXlsx(path, { Sales: [HEAD, ...vouchers(ROWS / 2, { blank: false }).rows] })
    const { page, errors } = await fresh(the.signedIn('/operate/import'))
    page.setDefaultTimeout(240_000)
    await drop(page, path)
    await tab(page, 'Sales').waitFor()
    await verdict(page)
    const account = await page.getByRole('table', { name: 'Rows of each sheet' }).innerText()
    expect(account).toMatch(/1,00,000|100,000/)
    // While a try of all rows runs, the menus answer.
    await menu(page, 'Rate').selectOption({ label: 'leave out' })
    await page
      .getByText(/Corrected|reading/i)
      .first()
      .waitFor()
    await menu(page, 'Qty').selectOption({ label: 'leave out' })
    await menu(page, 'Qty').selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Begin anew' }).click()
    expect(errors).toEqual([])
  })

  const liars = [
    ['bomb.xlsx', bomb],
    ['formulas.xlsx', formulas],
    ['broken.xlsx', () => Buffer.from('PK\u0003\u0004 not a workbook')],
  ] as const
  it.each(long ? liars : [])('%s is refused with a sentence', async (name, make) => {
    const { page } = await fresh(the.signedIn('/operate/import'))
    await drop(page, { name, mimeType: 'application/octet-stream', buffer: await make() })
    const errors = page.getByRole('table', { name: 'Errors' })
    await page.getByRole('alert').or(page.locator('.sheets details')).or(errors).first().waitFor()
    await page
      .locator('.sheets details > summary')
      .click({ timeout: 1000 })
      .catch(() => {})
    expect(await page.locator('.bring').innerText()).toContain(name)
    expect(await stored()).toEqual(NOTHING)
    await page.getByRole('button', { name: 'Begin anew' }).click()
  })
})

describe('the sample', () => {
  inLongTier('is loaded from the overview of an empty account, and taken back', async () => {
    const { page } = await fresh(the.signedIn('/'))
    page.setDefaultTimeout(240_000)
    await page.getByRole('link', { name: /Start with the sample/ }).click()
    await page.getByRole('button', { name: 'Load the sample' }).click()
    await page
      .locator('.verdict')
      .getByText(/loaded: the data has version/)
      .waitFor()
    expect((await stored())?.['movements']).toBeGreaterThan(1000)
    await page.getByRole('link', { name: 'See the overview' }).click()
    await page.locator('.pin .value').first().waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
    await page.getByText('the data is as it was before the load').waitFor()
    expect(await stored()).toEqual(NOTHING)
  })
})

describe('rights', () => {
  it('a loader sees the pages of data and no others; a reader neither', async () => {
    const password = await the.newUser('meena', { role: 'loader' })
    const { page } = await fresh(the.newPage())
    await page.goto(the.base)
    await signIn(page, { username: 'meena', password })
    await page
      .getByRole('region', { name: 'Begin' })
      .getByRole('link', { name: /Bring in files/ })
      .click()
    await page.getByText('Choose files, or drop them here').waitFor()
    await page.goto(`${the.base}/operate/users`)
    await page.getByText('These pages are for operators').waitFor()
    const reader = await the.newUser('ravi')
    const other = await fresh(the.newPage())
    await other.page.goto(the.base)
    await signIn(other.page, { username: 'ravi', password: reader })
    await other.page.getByText('Ask an operator to bring in files').waitFor()
    await other.page.goto(`${the.base}/operate/import`)
    await other.page.getByText('These pages are for loaders and operators').waitFor()
  })
})

/** A workbook whose sheet unpacks to 2 GB. */
function bomb(): Buffer {
  return archive({ 'xl/worksheets/sheet1.xml': Buffer.alloc(64 << 20, ' ') }, 2 ** 31)
}

/** A workbook whose cell asks for another site, without a stored result. */
async function formulas(): Promise<Buffer> {
  const path = join(tempFolder(), 'formulas.xlsx')
  await writeXlsx(path, {
    Items: [
      ['Item Code', 'Item Name', 'UOM'],
      [{ formula: 'WEBSERVICE("http://127.0.0.1:9/")', text: '' }, 'One', 'PCS'],
    ],
  })
  return readFileSync(path)
}

/** A zip file whose entries claim `size` bytes. */
function archive(files: Record<string, Buffer>, size: number): Buffer {
  const [locals, central]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  const all = {
    '[Content_Types].xml': Buffer.from('<Types/>'),
    'xl/workbook.xml': Buffer.from('<workbook/>'),
    ...files,
  }
  for (const [name, bytes] of Object.entries(all)) {
    const packed = deflateRawSync(bytes)
    const head = Buffer.alloc(26)
    head.writeUInt16LE(20, 0)
    head.writeUInt16LE(8, 4)
    head.writeUInt32LE(packed.length, 14)
    head.writeUInt32LE(name in files ? size - 1 : bytes.length, 18)
    head.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), head, Buffer.from(name), packed])
    const entry = Buffer.alloc(16)
    entry.writeUInt32LE(at, 12)
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), head, entry.subarray(2), Buffer.from(name)]))
    locals.push(local)
    at += local.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(central.length, 4)
  end.writeUInt16LE(central.length, 6)
  end.writeUInt32LE(Buffer.concat(central).length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...locals, ...central, Buffer.from('PK\u0005\u0006'), end])
}
