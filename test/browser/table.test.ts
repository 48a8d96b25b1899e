/** The table of a report: links to records, further pages, offline, copying, the keyboard, printing, scrolling to the end. */
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  cellsOf,
  consoleForFile,
  expectRow,
  type Opened,
  pathOf,
  type Row,
  recordsOf,
  rowOf,
  rowsShown,
  toLastRow,
  wideRange,
} from '../setup/console.js'
import { inLongTier } from '../setup/tier.js'

const { the, open: show, fresh } = consoleForFile({ permissions: ['clipboard-read', 'clipboard-write'] })

const ORDERS = 'sales.order-status'
const orders = () => ({ version: 'WR', ...wideRange(the) })
const STOCK = 'inventory.fg-stock-status'
const stock = () => ({ type: 'FG', tax: '0', ...wideRange(the) })

async function open(path: string): Promise<Opened> {
  const shown = await show(path)
  await rowsShown(shown.page)
  return shown
}

const cell = (page: Opened['page'], row: number, column = 0) =>
  page.locator(`.grid [aria-rowindex="${row + 2}"] [data-column="${column}"]`)
/** A cell whose click opens the record, not the rows behind a figure. */
const plainCell = (page: Opened['page'], row: number) =>
  page.locator(`.grid [aria-rowindex="${row + 2}"] .cell:not(:has(.drill,.fold))`).first()
const clipboard = (page: Opened['page']) => page.evaluate('navigator.clipboard.readText()')
/** Row and column of the cell that has the focus; row −1 is the header. */
const focused = (page: Opened['page']) =>
  page.evaluate(`(() => {
    const row = document.activeElement.closest('[aria-rowindex]')?.getAttribute('aria-rowindex')
    return (Number(row) - 2) + ' ' + document.activeElement.closest('[data-column]')?.dataset.column
  })()`)
const hasFocus = (page: Opened['page'], name: string) =>
  page
    .locator(':focus')
    .evaluate((element, name) => [element.ariaLabel, element.textContent?.trim()].includes(name), name)
const focusedText = (page: Opened['page']) => page.locator(':focus').textContent()

describe('a record', () => {
  it('records with the same visible key have different links', async () => {
    const rows = await recordsOf(the, ORDERS, orders())
    const keys = rows.map((row) => JSON.stringify([row['order_date'], row['so_order_id']]))
    const second = keys.findIndex((key, at) => at > 0 && keys[at - 1] === key)
    expect(second).toBeGreaterThan(0)
    const { page } = await open(pathOf(ORDERS, orders()))
    const links: string[] = []
    for (const at of [second - 1, second]) {
      await page.goto(the.base + pathOf(ORDERS, orders()))
      await rowsShown(page)
      await page.locator('.grid').evaluate((grid, top) => grid.scrollTo({ top }), at * 32)
      await plainCell(page, at).click()
      await page.locator('.panel').waitFor()
      await page.waitForURL(/row=/)
      links.push(page.url())
    }
    expect(new URL(links[0] as string).searchParams.get('row')).not.toBe(
      new URL(links[1] as string).searchParams.get('row'),
    )
    for (const [i, at] of [second - 1, second].entries()) {
      // With the right place and with a wrong one: a record may have moved meanwhile.
      const link = new URL(links[i] as string)
      for (const url of [link.href, link.href.replace(/&at=\d+/, '&at=1')]) {
        await page.goto('about:blank')
        await page.goto(url)
        const sku = page.locator('.panel .field', { hasText: 'Product SKU' }).locator('dd')
        await sku.waitFor()
        expect(await sku.textContent()).toBe(rows[at]?.['product_sku'])
      }
    }
  })

  it('"next" goes on to the following page, "previous" goes back', async () => {
    const rows = await recordsOf(the, ORDERS, orders())
    expect(rows.length).toBeGreaterThan(200)
    const { page } = await open(pathOf(ORDERS, orders()))
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 98 * 32 }))
    await plainCell(page, 98).click()
    const total = rows.length.toLocaleString('en-IN')
    await page.getByText(`99 of ${total}`).waitFor()
    for (const number of [100, 101, 102]) {
      await page.getByRole('button', { name: 'Next record' }).click()
      await page.getByText(`${number} of ${total}`).waitFor()
    }
    const shown = page.locator('.panel .field', { hasText: 'Product SKU' }).locator('dd')
    await expect.poll(() => shown.textContent()).toBe(rows[101]?.['product_sku'])
    expect(await cell(page, 101).isVisible()).toBe(true)
    for (const number of [101, 100, 99]) {
      await page.getByRole('button', { name: 'Previous record' }).click()
      await page.getByText(`${number} of ${total}`).waitFor()
    }
    await expect.poll(() => shown.textContent()).toBe(rows[98]?.['product_sku'])
    await page.keyboard.press('Escape')
    await expect.poll(() => focused(page)).toMatch(/^98 /)
  })

  it('a link to the last record opens it at its place, with its neighbours', async () => {
    const total = (await recordsOf(the, ORDERS, orders())).length
    const { page } = await open(pathOf(ORDERS, orders()))
    await toLastRow(page, total)
    await plainCell(page, total - 1).click()
    await page.waitForURL(/at=/)
    const url = page.url()
    await page.goto('about:blank')
    await page.goto(url)
    const count = total.toLocaleString('en-IN')
    await page.getByText(`${count} of ${count}`).waitFor()
    await page.locator(`.grid .row.selected[aria-rowindex="${total + 1}"]`).waitFor()
  })
})

describe('without the service', () => {
  it('rows stay, are marked as old, and are fetched again when the service is back', async () => {
    const { page, context } = await fresh(the.signedIn(pathOf(ORDERS, orders())))
    const total = await rowsShown(page)
    const first = await cellsOf(page, 0)
    await context.setOffline(true)
    onTestFinished(() => context.setOffline(false))
    // Neither scrolling to rows that were never fetched nor sorting removes the shown rows.
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 1e9 }))
    await page.getByText('This page shows the data from before').waitFor()
    await page.locator('.status .word', { hasText: 'old, fetched' }).waitFor()
    await page
      .getByRole('columnheader', { name: /^Product/ })
      .getByRole('button')
      .first()
      .click()
    await page.getByText('These rows show the view before your last change').waitFor()
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 0 }))
    expect(await cellsOf(page, 0)).toEqual(first)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('These rows show the view before your last change').waitFor()
    expect(await cellsOf(page, 0)).toEqual(first)
    await context.setOffline(false)
    await page.locator('.status .word', { hasText: 'old' }).waitFor({ state: 'detached' })
    await page.locator('[aria-sort=ascending]').waitFor()
    expect(await rowsShown(page)).toBe(total)
    const [expected] = await recordsOf(the, ORDERS, orders(), { sort: 'product_name' })
    await expect.poll(async () => (await cellsOf(page, 0))['product_name']).toBe(expected?.['product_name'])
  })
})

describe('copying', () => {
  const filter = { filter: 'Closing_qty>1000', sort: '-Closing_qty' }

  it('a cell is copied with the value that the API sends', async () => {
    const { page } = await open(pathOf(STOCK, stock(), filter))
    const [row] = await recordsOf(the, STOCK, stock(), filter)
    const columns = Object.keys(await cellsOf(page, 0))
    const column = columns.indexOf('Closing_qty')
    expect((await cellsOf(page, 0))['Closing_qty']).toMatch(/,/)
    await cell(page, 0).focus()
    for (let at = 0; at < column; at++) await page.keyboard.press('ArrowRight')
    await expect.poll(() => focused(page)).toBe(`0 ${column}`)
    await page.keyboard.press('Control+c')
    await page.getByText('Copied').waitFor()
    expect(await clipboard(page)).toBe(row?.['Closing_qty'])
  })

  it('rows are copied with tabs between raw values, by keyboard and by mouse', async () => {
    const { page } = await open(pathOf(STOCK, stock(), filter))
    const rows = (await recordsOf(the, STOCK, stock(), filter)).slice(0, 2)
    const columns = Object.keys(await cellsOf(page, 0))
    const expected = rows.map((row) => columns.map((name) => String(row[name] ?? '')).join('\t')).join('\n')
    await cell(page, 0).focus()
    await page.keyboard.press('Shift+Space')
    await page.keyboard.press('Shift+ArrowDown')
    await expect.poll(() => page.locator('.grid .ranged').count()).toBe(2 * columns.length)
    await page.keyboard.press('Control+c')
    await page.getByText('Copied 2 rows').waitFor()
    expect(await clipboard(page)).toBe(expected)
    await page.evaluate(`navigator.clipboard.writeText('nothing')`)
    await page.evaluate(`{
      const [first, second] = document.querySelectorAll('.grid .row')
      getSelection().setBaseAndExtent(first, 0, second, second.childNodes.length)
    }`)
    await page.keyboard.press('Control+c')
    expect(await clipboard(page)).toBe(expected)
  })

  it('a number in the panel is copied without its grouping', async () => {
    const { page } = await open(pathOf(STOCK, stock(), filter))
    const [row] = await recordsOf(the, STOCK, stock(), filter)
    await plainCell(page, 0).click()
    const number = page.locator('.panel .field', { hasText: 'Closing quantity' }).first().locator('.num')
    await number.selectText()
    await page.keyboard.press('Control+c')
    expect(await clipboard(page)).toBe(`${row?.['Closing_qty']} ${row?.['UoM']}`)
  })
})

describe('the keyboard', () => {
  const stops = (page: Opened['page'], inside: string) =>
    page.evaluate(`[...document.querySelectorAll('${inside} :is(button, [tabindex], a[href], input)')].filter(
      ({ tabIndex }) => tabIndex >= 0,
    ).length`)

  it('Tab stops once in the table, and the arrows reach its header, its menus and its rows', async () => {
    const { page } = await open(pathOf(STOCK, stock()))
    expect(await stops(page, '.grid')).toBe(1)
    await page.locator('.grid [tabindex="0"]').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toBe('1 0')
    // The focus keeps its cell, even when the cell is scrolled out of view.
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 1e9 }))
    await expect.poll(() => focused(page)).toBe('1 0')
    expect(await stops(page, '.grid')).toBe(1)
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => focused(page)).toBe('-1 0')
    expect(await stops(page, '.grid')).toBe(1)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    const menu = page.getByRole('button', { name: 'Column Product name' })
    expect(await menu.getAttribute('aria-expanded')).toBe('true')
    expect(await stops(page, '.popover .items')).toBe(1)
    await page.keyboard.press('ArrowDown')
    expect(await focusedText(page)).toBe('Sort descending')
    await page.keyboard.press('End')
    expect(await focusedText(page)).toBe('Hide')
    await page.keyboard.press('Escape')
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
    expect(await hasFocus(page, 'Column Product name')).toBe(true)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toBe('0 0')
  })

  it('buttons that open something say whether it is open, and get the focus back', async () => {
    const { page } = await open(pathOf('sales.invoices', wideRange(the)))
    const fold = page.locator('.grid .row .cell:has(.fold)').first()
    expect(await fold.getAttribute('aria-expanded')).toBe('false')
    await fold.click()
    expect(await fold.getAttribute('aria-expanded')).toBe('true')
    for (const name of ['Filter', 'Show the request as code']) {
      const button = page.getByRole('button', { name, exact: true })
      await button.focus()
      await page.keyboard.press('Enter')
      await page.locator('dialog[open]').waitFor()
      expect(await button.getAttribute('aria-expanded')).toBe('true')
      await page.keyboard.press('Escape')
      await page.locator('dialog').waitFor({ state: 'detached' })
      expect(await hasFocus(page, name)).toBe(true)
    }
    await page.goto(the.base + pathOf('sales.invoices', wideRange(the), { filter: 'invoice_status=Submitted' }))
    await rowsShown(page)
    const remove = page.getByRole('button', { name: 'Remove the filter Invoice status is Submitted' })
    await remove.focus()
    await page.keyboard.press('Enter')
    await remove.waitFor({ state: 'detached' })
    expect(await hasFocus(page, 'Filter')).toBe(true)
  })
})

describe('on paper', () => {
  it('all rows are printed, with the parameters, the totals and a header on every page', async () => {
    const values = stock()
    const filter = 'Closing_qty>=0'
    const rows = await recordsOf(the, STOCK, values, { filter })
    const { page } = await open(pathOf(STOCK, values, { filter }))
    const totals = await page.locator('.grid .totals [data-total="Closing_qty"]').getAttribute('title')
    await page.evaluate(`window.print = () => document.body.classList.add('asked-to-print')`)
    await page.keyboard.press('Control+p')
    await page.locator('body.asked-to-print').waitFor()
    await page.emulateMedia({ media: 'print' })
    onTestFinished(() => page.emulateMedia({ media: null }))
    for (const gone of ['.rail', '.toolbar', '.report', '.notes'])
      expect(await page.locator(gone).first().isVisible(), gone).toBe(false)
    const sheet = page.locator('.sheet')
    expect(await sheet.locator('h1').textContent()).toBe('Stock of finished goods')
    const text = (await sheet.textContent()) ?? ''
    expect(text).toContain('Closing quantity at least 0')
    expect(text).toMatch(/\d+ \w{3}( \d{4})? – \d+ \w{3} \d{4}/)
    const tables = sheet.locator('table')
    const bands = await tables.count()
    for (let at = 0; at < bands; at++) {
      expect(await tables.nth(at).locator('tbody tr:not(.sum)').count()).toBe(rows.length)
    }
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.sheet thead')).display`)).toBe(
      'table-header-group',
    )
    expect(await sheet.locator('.sum').allTextContents()).toHaveLength(bands)
    expect((await sheet.locator('.sum').allTextContents()).join()).toContain(totals)
    // A landscape page of A4 without its margins is 1047 pixels wide.
    await page.setViewportSize({ width: 1047, height: 760 })
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 800 }))
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })
})

inLongTier('the longest report can be scrolled to its end, with few rows in the DOM at any time', async () => {
  const values = wideRange(the)
  const rows: Row[] = await recordsOf(the, 'inventory.movements', values)
  expect(rows.length).toBeGreaterThan(24_000)
  const { page } = await open(pathOf('inventory.movements', values))
  expect(await rowsShown(page)).toBe(rows.length)
  expectRow(await rowOf(page, 0), rows[0])
  const drawn = () => page.locator('.grid .row').count()
  for (let step = 1; step < 40; step++) {
    await page.locator('.grid').evaluate((grid, share) => grid.scrollTo({ top: grid.scrollHeight * share }), step / 40)
    await page.locator('.grid .row:not(:has(.skeleton))').nth(20).waitFor()
    expect(await drawn()).toBeLessThan(80)
  }
  await toLastRow(page, rows.length)
  expectRow(await rowOf(page, rows.length - 1), rows.at(-1))
  expect(await drawn()).toBeLessThan(80)
  await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 0 }))
  await cell(page, 0).waitFor()
  expectRow(await rowOf(page, 0), rows[0])
})
