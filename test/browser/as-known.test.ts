/** Reports as earlier loads left them, what changed since, why, the page of a load, and closed periods. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { consoleForFile, pathOf, type Row, recordsOf, rowOf, rowsShown, wideRange } from '../setup/console.js'
import { folderOf } from '../setup/files.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile()

const STOCK = 'inventory.fg-stock-status'
const values = () => ({ type: 'FG', tax: '0', ...wideRange(the) })
const stock = (query: Record<string, string> = {}) => recordsOf(the, STOCK, values(), { fields: 'all', ...query })
const at = (query: Record<string, string> = {}) => pathOf(STOCK, values(), query)
const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

interface Movement {
  readonly movement_no: string
  readonly sku: string
  readonly day: string
  readonly warehouse: string
  readonly batch_no: string
  readonly qty: string
  readonly val: string
}
/** The movement that the second load corrects. */
let corrected: Movement

const COLUMNS = 'movement_no,movement_date,kind,sku,warehouse,batch_no,qty,val,val_tax'

/** Loads the movement with this many more, and an amount that is larger by ten times that. */
async function correct(more: number): Promise<void> {
  const { movement_no, day, sku, warehouse, batch_no } = corrected
  const [qty, val] = [Number(corrected.qty) + more, Number(corrected.val) + 10 * more]
  const row = [movement_no, day, 'other_receipt', sku, warehouse, batch_no, qty, val, val].join()
  const folder = mkdtempSync(join(tmpdir(), 'millbook-as-known-'))
  const { errors } = await load(
    the.service.database,
    findFiles(folderOf({ 'stock_movements.csv': `${COLUMNS}\n${row}\n` }, folder)),
  )
  rmSync(folder, { recursive: true })
  expect(errors.first).toEqual([])
}

beforeAll(async () => {
  const [found] = await the.service.db<Movement[]>`
    select m.movement_no, i.sku, m.movement_date::text as day, w.location as warehouse, m.batch_no, m.qty::text, m.val::text
      from stock_movement m join item i on i.id = m.item_id join warehouse w on w.id = m.warehouse_id
     where m.kind = 'other_receipt' and i.type = 'FG' order by m.movement_no limit 1`
  corrected = found as Movement
  await the.service.db`update known_version set committed_at = committed_at - interval '3 days'`
  await correct(5)
})

interface Difference {
  readonly change: string
  readonly key: Row
  readonly fields: Record<string, { before: string; after: string }>
}
const differences = async () => (await stock({ against: '1' })) as unknown as Difference[]

it('a report is shown as an earlier load left it, chosen from a list or by its day, and then what changed', async () => {
  const [before, now] = [await stock({ as_known: '1' }), await stock()]
  const changed = now.findIndex((row, i) => JSON.stringify(row) !== JSON.stringify(before[i]))
  const { page, errors } = await open(at())
  await rowsShown(page)
  expect((await rowOf(page, changed))['Closing_qty']?.raw).toBe(now[changed]?.['Closing_qty'])
  await page.getByRole('button', { name: /^As of now/ }).click()
  await page.getByRole('button', { name: /^Load 1/ }).click()
  await page.getByText(/^As known after load 1 \(/).waitFor()
  expect(searchOf(page)['as_known']).toBe('1')
  await expect.poll(() => rowsShown(page)).toBe(before.length)
  await expect.poll(async () => (await rowOf(page, changed))['Closing_qty']?.raw).toBe(before[changed]?.['Closing_qty'])
  // The day of the first load means its end.
  const [day] = await the.service.db<{ day: string }[]>`
    select (committed_at at time zone time_zone)::date::text as day from known_version, account where version = 1`
  await page.getByRole('button', { name: /^As of load 1/ }).click()
  await page.getByLabel('End of the day').fill(day?.day as string)
  await page.keyboard.press('Enter')
  await page.getByText(/^As known at the end of .*, after load 1 \(/).waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^CSV about/ }).click(),
  ])
  expect(download.suggestedFilename()).toContain('_v1.csv')
  await page.getByRole('button', { name: 'What changed since then' }).click()
  await page.getByText('What changed since the end of').waitFor()
  expect(searchOf(page)).toMatchObject({ against: day?.day })
  expect(searchOf(page)).not.toHaveProperty('as_known')
  expect(await rowsShown(page)).toBe((await differences()).length)
  await page.getByRole('button', { name: 'Show all rows' }).click()
  await page.waitForURL((url) => !url.searchParams.has('against'))
  expect(errors).toEqual([])
})

it('what changed has each value before and after, and the sums; without a change it says so', async () => {
  const { page, errors } = await open(at({ against: '1' }))
  const found = await differences()
  expect(await rowsShown(page)).toBe(found.length)
  const [totals] = await stock({ against: '1', totals: 'yes' })
  for (const [i, { change, fields }] of found.entries()) {
    const row = page.locator(`.grid .row[aria-rowindex="${i + 2}"]`)
    expect(await row.locator('.word').textContent()).toBe(`± ${change}`)
    const cell = row
      .locator('.differs')
      .filter({ has: page.locator('.drill') })
      .first()
    const [was, is] = [await cell.locator('del [data-raw]'), await cell.locator('ins [data-raw]')]
    const qty = fields['Closing_qty']
    expect([await was.getAttribute('data-raw'), await is.getAttribute('data-raw')]).toEqual([qty?.before, qty?.after])
  }
  // Values that did not change are there too: the key alone does not name the item.
  const [first] = found
  const [whole] = (await stock()).filter((row) => Object.entries(first?.key ?? {}).every(([k, v]) => row[k] === v))
  await page
    .getByRole('gridcell', { name: String(whole?.['product_name']), exact: true })
    .first()
    .waitFor()
  for (const part of ['before', 'after', 'difference']) {
    const sum = page.locator(`[data-total=final_value__${part}] [data-raw]`)
    expect(await sum.getAttribute('data-raw')).toBe(totals?.[`final_value__${part}`])
  }
  await page.goto(the.base + at({ against: '2' }))
  await page.getByText(/^Nothing changed between load 2 \(.*\) and now\./).waitFor()
  expect(errors).toEqual([])
})

it('a changed figure leads to the movement behind it, and that to the page of the load', async () => {
  const { page, errors } = await open(at({ against: '1' }))
  await rowsShown(page)
  await page.locator('.grid .differs .drill').first().click()
  await page.getByText('equal to the difference').waitFor()
  expect(await page.locator('.panel [role=status]').textContent()).toMatch(/^1 row behind it differs, together by \+5/)
  const report = page.getByRole('link', { name: 'Open as a report' })
  expect(await report.getAttribute('href')).toMatch(/^\/reports\/inventory\.movements\?.*figure=Closing.*&against=1$/)
  await page.locator('.panel').getByRole('link', { name: 'Load 2' }).click()
  await page.getByRole('heading', { name: 'Load 2' }).waitFor()
  const row = page.getByRole('row').filter({ hasText: corrected.movement_no })
  expect((await row.textContent())?.replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(`± changed.*Quantity ${corrected.qty.replace('.', '\\.')} before, now ${Number(corrected.qty) + 5}`),
  )
  expect(errors).toEqual([])
})

it('the page of a load finds rows by file, change and key, and goes on page by page', async () => {
  const { page } = await open('/loads/1')
  const rows = async (narrowed: Row = {}) => {
    const body = { from_version: 0, to_version: 1, ...narrowed }
    const query = { page: 1, 'per-page': 1 }
    return (await the.service.call({ path: '/v1/history/changes', body, query })).json()._meta.totalCount as number
  }
  const shown = (count: number) => page.getByText(new RegExp(`^${count.toLocaleString('en-IN')} rows?( |$)`)).waitFor()
  await shown(await rows())
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  await expect.poll(() => page.locator('.data tbody tr').count()).toBe(200)
  await page.getByLabel('File').selectOption('items')
  await shown(await rows({ entity: 'items' }))
  await page.getByLabel('File').selectOption('')
  await page.getByLabel(/^Find a key/).fill(corrected.sku)
  await page.keyboard.press('Enter')
  await shown(await rows({ key: corrected.sku }))
  await page.getByLabel('Change').selectOption('gone')
  await page.getByText('No row that this load changed matches').waitFor()
  await page.goto(`${the.base}/loads/99`)
  await page.getByText('There is no load 99 yet; the newest is load 2.').waitFor()
})

it('an earlier load that is not kept, or is to come, is refused with what to do next', async () => {
  const { page } = await open(at({ as_known: '0' }))
  await page.getByText('the oldest version that is kept is 1').waitFor()
  await page.goto(the.base + at({ as_known: '9999-01-01' }))
  await page.getByText(/must not be in the future, as 9999-01-01 is/).waitFor()
  await page.getByRole('button', { name: 'Show now' }).click()
  await page.waitForURL((url) => !url.searchParams.has('as_known'))
  expect(await rowsShown(page)).toBe((await stock()).length)
})

inLongTier(
  'a reader of some groups chooses loads by their time; the rows of a load are for readers of all',
  async () => {
    const password = await the.newUser('ravi', { groups: ['inventory'] })
    const { page } = await fresh(the.newPage())
    await page.goto(the.base + at())
    await page.getByLabel('Username').fill('ravi')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: /^As of now/ }).click()
    const load = page.getByRole('button', { name: /^Load 1/ })
    expect(await load.textContent()).not.toContain('sample')
    await load.click()
    await page.getByText(/^As known after load 1 \(/).waitFor()
    await page.goto(`${the.base}/loads/1`)
    await page.getByText('The rows of a load are for users who may use all groups of reports.').waitFor()
  },
)

it.each(long ? [1280, 390] : [390])(
  'at %i px: axe finds no fault, and nothing is wider than the page',
  async (width) => {
    const options = { viewport: { width, height: 844 }, bypassCSP: true }
    const { page } = await fresh(the.signedIn('/', options))
    const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
    for (const path of [
      at({ as_known: '1' }),
      at({ against: '1' }),
      at({ as_known: '0' }),
      '/loads/2',
      '/closed-periods',
    ]) {
      await page.goto(the.base + path)
      await page
        .locator('.grid[aria-busy=false], .main > .state, .data, .closed .content[aria-busy=false]')
        .first()
        .waitFor()
      await page.evaluate(axe)
      const faults = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      )
      expect([path, faults]).toEqual([path, []])
      const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
        number,
        number,
      ]
      expect(inner).toBeLessThanOrEqual(outer)
    }
  },
)

it('a period that an operator closes differs after a later load, says why, and can be reopened', async () => {
  const { page, errors } = await open('/')
  await page.getByRole('link', { name: 'Closed periods' }).click()
  await page.getByText('No period is closed.').waitFor()
  await page.getByRole('button', { name: 'Close a period' }).click()
  await page.getByLabel('Reason').fill('Reported to the bank')
  await page.getByRole('button', { name: 'Close it' }).click()
  const row = page.locator('.data tbody tr')
  await row.getByText('as reported').waitFor()
  expect(await row.textContent()).toMatch(/by asha: Reported to the bank.*with Load 2/)
  await correct(9)
  await page.goto(`${the.base}/closed-periods`)
  await row.getByText('differs').waitFor()
  const why = row.getByRole('link', { name: /^Why did the stock value of/ })
  expect((await why.textContent())?.replace(/\.0+/, '')).toBe('+40 why?')
  await why.click()
  const difference = page.locator('[data-total=value__difference] [data-raw]')
  expect(Number(await difference.getAttribute('data-raw'))).toBe(40)
  expect(await rowsShown(page)).toBe(1)
  await page.locator('.grid .row .differs').first().click()
  await page.getByText('What changed since load 2').waitFor()
  await page.getByRole('gridcell', { name: corrected.movement_no }).waitFor()
  await page.goto(`${the.base}/closed-periods`)
  await page.getByRole('button', { name: /^Actions for/ }).click()
  await page.getByRole('button', { name: 'Reopen…' }).click()
  await page.getByLabel('Reason').fill('The bank sent it back')
  await page.getByRole('button', { name: 'Reopen it' }).click()
  await page.getByText('No period is closed.').waitFor()
  expect(errors).toEqual([])
})
