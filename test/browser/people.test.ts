/** How people read a report: words, digits, cards on a phone, the order of columns, filters with lists, documents on paper. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cellsOf, consoleForFile, pathOf, type Row, recordsOf, rowOf, rowsShown, wideRange } from '../setup/console.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile({ permissions: ['clipboard-read', 'clipboard-write'] })

const STOCK = 'inventory.fg-stock-status'
const ORDERS = 'sales.sales-orders'
const INVOICES = 'sales.invoices'
const stock = () => ({ type: 'FG', tax: '0', ...wideRange(the) })
const wide = () => wideRange(the)

/** The fields of the columns, in their order. */
const fieldsOf = (page: Page) =>
  page.locator('.grid .head .cell').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-field')))

/** Fields whose column does not end inside the table. */
const outOfView = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const { right } = document.querySelector('.grid').getBoundingClientRect()
    const cells = [...document.querySelectorAll('.grid .head .cell')]
    return cells.filter((cell) => cell.getBoundingClientRect().right > right + 1).map((cell) => cell.dataset.field)
  })()`)

/** Elements that reach beyond the screen. */
const beyondScreen = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('${selector}')].filter((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight
  }).map(({ outerHTML }) => outerHTML.slice(0, 100))`)

async function sized(page: Page, width: number, height = 800): Promise<void> {
  await page.setViewportSize({ width, height })
  onTestFinished(() => page.setViewportSize({ width: 1280, height: 800 }))
}

const scrolledTo = (page: Page) => page.locator('.grid').evaluate((grid) => grid.scrollTop)

describe('values', () => {
  it('have words, short headings, the currency once and the digits that say something; copies are raw', async () => {
    const { page } = await open(pathOf(ORDERS, wide()))
    await rowsShown(page)
    const [first] = await recordsOf(the, ORDERS, wide())
    const { order_status: status, total_amt: amount } = await rowOf(page, 0)
    expect(status?.raw).toBe(first?.['order_status'])
    expect(status?.text).toMatch(/^[A-Z][a-z ]+$/)
    expect(amount?.text).toMatch(/\.\d\d$/)
    const heading = page.locator('.grid .head [data-field=total_amt] button').first()
    expect(await heading.textContent()).toBe('Amount ₹')
    await page.goto(the.base + pathOf(STOCK, stock(), { filter: 'UoM=PCS', sort: '-Closing_qty' }))
    await rowsShown(page)
    const { Closing_qty: closing } = await rowOf(page, 0)
    expect(closing?.raw).toMatch(/\.0000$/)
    expect(closing?.text).toMatch(/^[\d,]+$/)
  })

  inLongTier('a parameter has words in its chip and its menu; the name of the company is on the screen', async () => {
    const { page } = await open(pathOf(STOCK, stock()))
    await rowsShown(page)
    await page.getByRole('button', { name: /^Type Finished goods/ }).click()
    await page.getByRole('button', { name: 'Semi-finished goods', exact: true }).click()
    await page.waitForURL(/type=SFG/)
    const [account] = await the.service.db<{ name: string }[]>`select name from account`
    expect(await page.locator('.rail .company').textContent()).toBe(account?.name)
  })

  inLongTier('a name that is written from the right does not turn its neighbours around', async () => {
    const { page } = await open(pathOf(STOCK, stock(), { filter: 'product_name~\u202eabc|مصنع' }))
    await page.locator('.main > .state').waitFor()
    const chip = page.locator('.chip.filter strong')
    expect(await chip.textContent()).toContain('\u2068مصنع\u2069')
    await page.goto(the.base + pathOf(STOCK, stock()))
    await rowsShown(page)
    expect(await page.locator('.grid .row .cell').first().locator('bdi').count()).toBe(1)
  })

  inLongTier('a description has code in place of backticks', async () => {
    const { page } = await open(pathOf(STOCK, stock()))
    await rowsShown(page)
    await page.locator('.grid .row .cell:not(:has(.drill,.fold))').first().click()
    await page.locator('.panel small code', { hasText: 'Closing_qty' }).first().waitFor()
    expect(await page.locator('body').innerText()).not.toContain('`')
  })
})

describe('a screen', () => {
  it.each(long ? [STOCK, ORDERS, INVOICES] : [INVOICES])(
    '%s shows its first six columns at 1024 px, and all at 1440 px',
    async (id) => {
      const { page } = await open(pathOf(id, id === STOCK ? stock() : wide()))
      await sized(page, 1024)
      await rowsShown(page)
      const fields = await fieldsOf(page)
      await expect.poll(async () => fields.length - (await outOfView(page)).length).toBeGreaterThanOrEqual(6)
      await page.setViewportSize({ width: 1440, height: 800 })
      await expect.poll(() => outOfView(page)).toEqual([])
    },
  )

  it('a phone shows cards: the name, the figure by which they are sorted, and more', async () => {
    const { page, errors } = await fresh(
      the.signedIn(pathOf(STOCK, stock(), { sort: '-final_value' }), { viewport: { width: 390, height: 844 } }),
    )
    await page.locator('.grid.cards[aria-busy=false]').waitFor()
    const [first] = await recordsOf(the, STOCK, stock(), { sort: '-final_value' })
    const card = page.locator('.grid .row.card').first()
    expect(await card.locator('[data-column="0"]').textContent()).toBe(first?.['product_name'])
    expect(await card.locator('[data-column="1"] .num').getAttribute('data-raw')).toBe(first?.['final_value'])
    expect(await page.locator('.grid').evaluate((grid) => grid.scrollWidth <= grid.clientWidth)).toBe(true)
    await page.getByRole('button', { name: /Sorted by/ }).click()
    expect(await beyondScreen(page, '.popover')).toEqual([])
    await page.getByRole('button', { name: 'Closing', exact: true }).click()
    await page.waitForURL(/sort=-Closing_qty/)
    const [most] = await recordsOf(the, STOCK, stock(), { sort: '-Closing_qty' })
    await expect
      .poll(() => page.locator('.grid .row.card').first().locator('[data-column="1"] .num').getAttribute('data-raw'))
      .toBe(most?.['Closing_qty'])
    await page.locator('.grid .row.card').first().click()
    await page.locator('.panel h2').waitFor()
    expect(errors).toEqual([])
  })

  inLongTier('menus stay on the screen', async () => {
    const { page } = await open(pathOf(STOCK, stock()))
    await rowsShown(page)
    for (const [width, height] of [
      [1024, 500],
      [390, 640],
    ] as const) {
      await sized(page, width, height)
      for (const button of await page.locator(':is(.title, .toolbar, .status) .menu > button').all()) {
        await button.click()
        await page.locator('.popover').waitFor()
        expect(await beyondScreen(page, '.popover')).toEqual([])
        await page.keyboard.press('Escape')
      }
    }
    await sized(page, 1280, 400)
    const last = page.locator('.grid .head .head-menu').last()
    await last.focus()
    await page.keyboard.press('Enter')
    await page.locator('.popover').waitFor()
    expect(await beyondScreen(page, '.popover')).toEqual([])
    await page.keyboard.press('Escape')
  })
})

describe('columns', () => {
  inLongTier('are dragged into order by the pointer; the URL and the next visit keep it', async () => {
    const { page, errors } = await fresh(the.signedIn(pathOf(INVOICES, wide())))
    await rowsShown(page)
    const before = await fieldsOf(page)
    const box = async (field: string) => {
      const found = await page.locator(`.grid .head [data-field="${field}"] .label`).boundingBox()
      if (found === null) throw new Error(field)
      return { x: found.x + 8, y: found.y + found.height / 2 }
    }
    const [from, to] = [await box('total_amt'), await box('customer_name')]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x - 20, to.y, { steps: 5 })
    await page.locator('.grid .head .drop-before[data-field=customer_name]').waitFor()
    await page.mouse.up()
    const moved = [...before.filter((name) => name !== 'total_amt')]
    moved.splice(1, 0, 'total_amt')
    await expect.poll(() => fieldsOf(page)).toEqual(moved)
    expect(new URL(page.url()).searchParams.get('fields')).toBe(moved.join())
    expect(new URL(page.url()).searchParams.get('sort')).toBeNull() // the drag was no click
    const link = page.url()
    await page.goto(the.base + pathOf(INVOICES, wide()))
    await rowsShown(page)
    await expect.poll(() => fieldsOf(page)).toEqual(moved)
    await expect.poll(() => page.url()).toBe(link)
    await page.getByRole('button', { name: /^Columns/ }).click()
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect.poll(() => fieldsOf(page)).toEqual(before)
    expect(errors).toEqual([])
  })

  inLongTier('are moved, found, shown and hidden by the keyboard', async () => {
    const { page } = await fresh(the.signedIn(pathOf(INVOICES, wide())))
    await rowsShown(page)
    const before = (await fieldsOf(page)) as string[]
    await page.locator('.grid [tabindex="0"]').focus()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Shift+ArrowRight')
    const [first, second, ...rest] = before
    await expect.poll(() => fieldsOf(page)).toEqual([second, first, ...rest])
    await page.keyboard.press('Shift+ArrowRight') // the focus went along
    await expect.poll(() => fieldsOf(page)).toEqual([second, rest[0], first, ...rest.slice(1)])
    await page.getByRole('button', { name: /^Columns/ }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('supply')
    await page.getByRole('checkbox', { name: 'Place of supply' }).focus()
    await page.keyboard.press('Space')
    await expect.poll(async () => (await fieldsOf(page)).at(-1)).toBe('place_of_supply')
    await page.getByRole('button', { name: /^Move Place of supply/ }).focus()
    await page.keyboard.press('ArrowUp')
    await expect.poll(async () => (await fieldsOf(page)).at(-2)).toBe('place_of_supply')
    await page.keyboard.press('ArrowUp')
    await expect.poll(async () => (await fieldsOf(page)).at(-3)).toBe('place_of_supply')
  })
})

describe('filters', () => {
  const apply = (page: Page) => page.getByRole('button', { name: 'Apply' }).click()

  it('list the values of a text with their counts; several can be chosen, and a chip changes them', async () => {
    const { page } = await open(pathOf(INVOICES, wide()))
    await rowsShown(page)
    const rows = await recordsOf(the, INVOICES, wide())
    const counts = new Map<string, number>()
    for (const { customer_name: name } of rows) counts.set(String(name), (counts.get(String(name)) ?? 0) + 1)
    const [most, next] = [...counts].sort((a, b) => b[1] - a[1]) as [[string, number], [string, number]]
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Column', { exact: true }).selectOption('customer_name')
    const values = page.locator('.values .check')
    await values.first().waitFor()
    // Cancelled invoices are rows of the table, so they count.
    expect(await values.first().locator('.count').textContent()).toBe(String(most[1]))
    await page.getByLabel('Find a value').fill(next[0])
    await page.getByRole('checkbox', { name: next[0], exact: true }).check()
    await page.getByLabel('Find a value').fill('')
    await page.getByRole('checkbox', { name: most[0], exact: true }).check()
    await apply(page)
    await page.waitForURL(/filter=/)
    await expect.poll(() => rowsShown(page)).toBe(most[1] + next[1])
    await page
      .getByRole('button', { name: /^Change the filter|^Customer name is/ })
      .first()
      .click()
    await page.getByRole('checkbox', { name: next[0], exact: true }).uncheck()
    await apply(page)
    await expect.poll(() => rowsShown(page)).toBe(most[1])
    await page.getByRole('button', { name: /^Remove the filter/ }).click()
    await expect.poll(() => rowsShown(page)).toBe(rows.length)
  })

  inLongTier('a date has periods, a number has two ends', async () => {
    const { page } = await open(pathOf(INVOICES, wide()))
    const total = await rowsShown(page)
    await page.getByRole('button', { name: 'Column Total amount' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Filter…' }).click()
    await page.getByLabel('From', { exact: true }).fill('100')
    await page.getByLabel('To', { exact: true }).fill('20')
    await page.getByText('The second number is less than the first').waitFor()
    await page.getByLabel('To', { exact: true }).fill('20000.50')
    await apply(page)
    await page.getByRole('button', { name: 'Total amount 100 to 20000.50', exact: true }).waitFor()
    const between = (row: Row) => Number(row['total_amt']) >= 100 && Number(row['total_amt']) <= 20000.5
    const rows = (await recordsOf(the, INVOICES, wide())).filter(between)
    await expect.poll(() => rowsShown(page)).toBe(rows.length)
    expect(rows.length).toBeLessThan(total)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Column', { exact: true }).selectOption('invoice_date')
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    const from = await page.getByLabel('From', { exact: true }).inputValue()
    await apply(page)
    const inRange = rows.filter((row) => String(row['invoice_date']).slice(0, 10) >= from)
    await expect.poll(() => rowsShown(page)).toBe(inRange.length)
  })
})

describe('links', () => {
  inLongTier('a date that does not exist is named as it stands, and this month is offered', async () => {
    const { page } = await open(
      pathOf(INVOICES, { from_date: '2026-13-01', to_date: '2026-02-30' }, { sort: 'order_no' }),
    )
    const said = page.getByRole('alert')
    await said.getByText('The dates of this link cannot be used').waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(/undefined|NaN/)
    expect(await said.textContent()).toContain('2026-13-01')
    // Nothing can be downloaded.
    expect(await page.getByRole('button', { name: /Export/ }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Show this month' }).click()
    await page.waitForURL(/from_date=\d{4}-\d\d-01&/)
    expect(new URL(page.url()).searchParams.get('sort')).toBe('order_no')
    await rowsShown(page)
  })

  inLongTier('Back returns to the place in the table and on the page', async () => {
    const { page } = await open(pathOf('inventory.movements', wide()))
    await rowsShown(page)
    await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 1600 }))
    await page.locator('.grid .row[aria-rowindex="55"] .cell:not(:has(.skeleton))').first().waitFor()
    await page.locator('.rail a', { hasText: 'Invoices' }).first().click()
    await page.waitForURL(/sales.invoices/)
    await rowsShown(page)
    expect(await scrolledTo(page)).toBe(0)
    await page.goBack()
    await page.waitForURL(/inventory.movements/)
    await expect.poll(() => scrolledTo(page)).toBe(1600)
    await sized(page, 1024, 400)
    await page.goto(the.base)
    await page.locator('.list li').first().waitFor()
    await page.locator('#main').evaluate((main) => main.scrollTo({ top: 300 }))
    await expect.poll(() => page.locator('#main').evaluate((main) => main.scrollTop)).toBe(300)
    await page.locator('.rail a', { hasText: 'Invoices' }).first().click()
    await rowsShown(page)
    await page.goBack()
    await expect.poll(() => page.locator('#main').evaluate((main) => main.scrollTop)).toBe(300)
  })

  inLongTier('the time of a load has its zone, and a note covers no totals', async () => {
    const { page } = await open(pathOf(STOCK, stock()))
    await rowsShown(page)
    expect(await page.locator('.status .clip').textContent()).toMatch(/loaded (.*, )?\d\d:\d\d IST/)
    await page.locator('.grid .totals').waitFor()
    await page.locator('.grid [tabindex="0"]').focus()
    await page.keyboard.press('Control+c')
    await page.locator('.notes .note').waitFor()
    const covers = `(() => {
      const [note, totals] = ['.notes', '.grid'].map((one) => document.querySelector(one).getBoundingClientRect())
      return note.bottom > totals.top
    })()`
    expect(await page.evaluate(covers)).toBe(false)
  })

  it('a copied text cannot run as a formula', async () => {
    const id = 'masters.finished-goods'
    const PATH = '/v1/inventory/finished-goods'
    const { page } = await open('/operate/loads')
    await page.route(`**${PATH}*`, async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { data: Row[] }
      await route.fulfill({
        response,
        json: { ...body, data: body.data.map((row) => ({ ...row, item_name: '=1+1' })) },
      })
    })
    onTestFinished(() => page.unroute(`**${PATH}*`))
    await page.goto(`${the.base}/reports/${id}`)
    await rowsShown(page)
    const shown = await cellsOf(page, 0)
    expect(shown['item_name']).toBe('=1+1')
    await page.locator('.grid [tabindex="0"]').focus()
    await page.keyboard.press('Shift+Space')
    await page.keyboard.press('Control+c')
    await page.getByText('Copied 1 row').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(copied.split('\t')).toEqual(["'=1+1", ...Object.values(shown).slice(1)])
  })
})

describe('on paper', () => {
  it('documents have a head, lines and totals, and a table leaves empty columns out', async () => {
    const [record] = await recordsOf(the, INVOICES, wide())
    const number = String(record?.['invoice_no'])
    const { page } = await open(pathOf(INVOICES, wide(), { filter: `invoice_no=${number}` }))
    await rowsShown(page)
    await page.evaluate(`window.print = () => document.body.classList.add('asked-to-print')`)
    await page.getByRole('button', { name: /Export/ }).click()
    await page.getByRole('button', { name: /^Print documents/ }).click()
    await page.locator('body.asked-to-print').waitFor()
    const paper = page.locator('.sheet .document')
    expect(await paper.locator('h2').textContent()).toContain(number)
    expect(await paper.locator('.facts').textContent()).toContain(record?.['customer_name'])
    const lines = record?.['items'] as Row[]
    expect(await paper.locator('table').first().locator('tbody tr').count()).toBe(lines.length)
    expect(await paper.locator('.sums').textContent()).toContain('Total amount')
    const [account] = await the.service.db<{ name: string }[]>`select name from account`
    expect(await page.locator('.sheet header').textContent()).toContain(account?.name)
    expect(await paper.textContent()).not.toContain('–')
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`)
    await page.goto(the.base + pathOf(INVOICES, wide(), { fields: 'all', filter: `invoice_no=${number}` }))
    await rowsShown(page)
    await page.evaluate(`window.print = () => document.body.classList.add('asked-to-print')`)
    await page.keyboard.press('Control+p')
    await page.locator('body.asked-to-print').waitFor()
    const blank = `[...document.querySelectorAll('.sheet table')].flatMap((table) =>
      [...table.rows[1].cells].filter((cell) => cell.textContent.trim() === '–')).length`
    expect(await page.evaluate(blank)).toBe(0)
    await page.getByText(/^Empty in every row/).waitFor({ state: 'attached' })
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`)
  })
})

inLongTier('axe finds no fault on cards, in the menu of columns and in the form of a filter', async () => {
  const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')
  const { page } = await fresh(
    the.signedIn(pathOf(ORDERS, wide()), {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
      bypassCSP: true,
    }),
  )
  const check = async () => {
    // A colour in transition may have too little contrast.
    await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
    await page.evaluate(axe)
    const found = await page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`)
    expect(found).toEqual([])
  }
  await page.locator('.grid.cards[aria-busy=false]').waitFor()
  await page.locator('.totals.card').waitFor()
  await check()
  await page.getByRole('button', { name: /^Columns/ }).click()
  await check()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('Column', { exact: true }).selectOption('warehouse')
  await page.locator('.values .check').first().waitFor()
  await check()
})
