/** The pages of the insight reports: from a number to the printed recall list, and what to order, on the stories of the sample company. */
import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Group } from '../../src/groups.js'
import { consoleForFile, plain, type Row, recordsOf, signIn } from '../setup/console.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile()

const OIL = { batch_no: 'B-OIL-2291', sku: 'RM-9001' }
const OIL_PAGE = `/recall?${new URLSearchParams(OIL)}`
const trace = (show: string, direction = 'both', start: Row = OIL) =>
  recordsOf(the, 'insight.trace', { ...start, show, direction })
const text = (row: Row, name: string) => String(row[name] ?? '')
const unique = (texts: string[]) => [...new Set(texts)]
const units = (qty: string) => BigInt(qty.replace('.', ''))
/** A quantity of four digits as people read it, without grouping. */
const short = (qty: string) => qty.replace(/\.?0+$/, '')

const customersIn = (where: Locator) =>
  where.locator('tbody th[scope=rowgroup]').evaluateAll((heads) => heads.map((head) => head.firstChild?.textContent))
const typed = async (page: Page, number: string) => {
  await page.locator('.seek input:focus').waitFor()
  await page.keyboard.type(number)
}
const drawn = (page: Page) => page.locator('.genealogy .node').first().waitFor()
const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth') as Promise<number>

async function faults(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8'))
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

async function reader(username: string, groups: Group[]): Promise<Page> {
  const password = await the.newUser(username, { role: 'reader', groups })
  const { page } = await fresh(the.newPage())
  await page.goto(the.base + OIL_PAGE)
  await signIn(page, { username, password })
  await drawn(page)
  return page
}

describe('a recall', () => {
  it('takes at most five clicks from the number on the drum to the printed list of eleven customers', async () => {
    const { page, errors } = await open('/')
    await page.evaluate(`globalThis.clicks = 0; addEventListener('click', () => globalThis.clicks++, true)`)
    await page.evaluate(`window.print = () => document.body.classList.add('asked-to-print')`)
    await page.locator('.rail').getByRole('link', { name: 'Recall', exact: true }).click()
    await typed(page, 'OIL-2291')
    await page
      .getByRole('list', { name: 'Found' })
      .getByRole('link', { name: /B-OIL-2291/ })
      .click()
    await page.getByRole('button', { name: 'Print recall list' }).click()
    await page.locator('body.asked-to-print').waitFor()
    expect(await page.evaluate('globalThis.clicks')).toBeLessThanOrEqual(5)
    await page.emulateMedia({ media: 'print' })
    const names = unique((await trace('parties', 'forward')).map((row) => text(row, 'name')))
    expect(names).toHaveLength(11)
    const [customers, vendors] = [page.locator('.sheet section').nth(0), page.locator('.sheet section').nth(1)]
    expect(await customersIn(customers)).toEqual(names)
    expect(await customers.locator('.tick').count()).toBe(11)
    expect(await page.locator('.sheet header').textContent()).toMatch(/Printed \d+ [A-Z][a-z]{2} \d{4}, \d\d:\d\d/)
    expect(await customersIn(vendors)).toEqual(['Konkan Edible Oils'])
    expect(await customers.isVisible()).toBe(true)
    expect(await page.locator('.rail').isVisible()).toBe(false)
    expect(await page.locator('.genealogy').isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    expect(errors).toEqual([])
  })

  it('draws every batch, customer and vendor of the API, with the quantities of the links', async () => {
    const { page } = await open(OIL_PAGE)
    await drawn(page)
    const [links, batches, parties] = [await trace('links'), await trace('batches'), await trace('parties')]
    const nodes = page.locator('.genealogy .node')
    expect((await nodes.allTextContents()).sort()).toEqual(
      [
        ...batches.map((row) => {
          const stock = short(text(row, 'stock_qty'))
          return `${text(row, 'name')}${text(row, 'batch_no')}${stock === '0' ? '' : `${Number(stock).toLocaleString('en')} ${text(row, 'unit')} here`}`
        }),
        ...unique(parties.map((row) => text(row, 'name'))),
      ].sort(),
    )
    const sums = new Map<string, bigint>()
    for (const row of links) {
      const ends = ['from_sku', 'from_batch', 'from_party', 'to_sku', 'to_batch', 'to_party'].map((name) => row[name])
      const key = JSON.stringify([ends, row['unit'], /returned/.test(text(row, 'link')) ? ' back' : ''])
      sums.set(key, (sums.get(key) ?? 0n) + units(text(row, 'qty')))
    }
    const labels = [...sums].map(([key, qty]) => {
      const [, unit, back] = JSON.parse(key) as [unknown, string, string]
      return `${(Number(qty) / 10_000).toLocaleString('en')} ${unit}${back}`
    })
    expect((await page.locator('.genealogy svg text').allTextContents()).sort()).toEqual(labels.sort())
  })

  it('has the balance of each batch and the quantities of each customer as the API has them', async () => {
    const { page } = await open(OIL_PAGE)
    await drawn(page)
    const heads = (table: Locator) => table.locator('thead th').allTextContents()
    const balance = page.locator('#balance table')
    expect(await heads(balance)).toEqual([
      ...['Batch', 'Product', 'Expires', 'In', 'Used', 'Shipped', 'Wasted', 'Moved out', 'In stock', 'Unit', 'Balance'],
    ])
    const sum = (row: Row, ...names: string[]) =>
      String(Number(names.reduce((all, name) => all + units(text(row, `${name}_qty`)), 0n)) / 10_000)
    const batches = await trace('batches')
    const start = batches.filter(({ direction }) => direction === 'start')
    const shown = await balance
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)))
    expect(shown.map((row) => row.map((cell) => plain(cell ?? '')))).toEqual(
      [...start, ...batches.filter(({ direction }) => direction !== 'start')].map((row) => [
        ...[text(row, 'batch_no'), text(row, 'name'), text(row, 'expiry_date')],
        sum(row, 'produced', 'purchased', 'returned', 'other_in', 'transferred_in'),
        ...[sum(row, 'consumed', 'unpacked', 'own_use'), sum(row, 'shipped', 'vendor_returned')],
        ...[sum(row, 'wasted'), sum(row, 'transferred_out'), sum(row, 'stock'), text(row, 'unit')],
        { 'F9003-01': '12 PCS made, never in stock', 'F9004-01': '100 PCS between warehouses' }[
          text(row, 'batch_no')
        ] ?? 'adds up',
      ]),
    )
    const list = page.locator('#customers-list table')
    const quantities = await list
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td.right')].map((cell) => cell.textContent)))
    expect(quantities.map((row) => row.map((cell) => plain(cell ?? '')))).toEqual(
      (await trace('parties', 'forward')).map((row) =>
        ['shipped_qty', 'returned_qty', 'net_qty'].map((name) => short(text(row, name))),
      ),
    )
    const figures = await page.locator('.figures li').allTextContents()
    expect(figures).toEqual([
      ...['Customers to call11', 'Batches affected12', 'Still here609 KG, 4,716 PCS'],
      ...['Of it on hold already105 KG, 1,700 PCS', 'Vendors behind it1', 'Balances1 does not add up'],
    ])
  })

  inLongTier('starts with a goods receipt too, and finds nothing for a number that does not exist', async () => {
    const { page } = await open('/recall')
    await typed(page, 'GRN-9002')
    await page
      .getByRole('list', { name: 'Found' })
      .getByRole('link', { name: /Goods receipt/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Goods receipt GRN-9002: 1 batch' }).waitFor()
    expect(await customersIn(page.locator('#customers-list'))).toHaveLength(11)
    await page.getByRole('link', { name: 'Another number' }).click()
    await typed(page, 'NOWHERE-7')
    await page.getByText('No batch, invoice, order or receipt has “NOWHERE-7” in its number.').waitFor()
    expect(await page.getByRole('button', { name: 'Trace' }).isDisabled()).toBe(true)
    await page.goto(`${the.base}/recall?batch_no=NOWHERE-7`)
    await page.getByRole('heading', { name: 'Nothing to trace for batch NOWHERE-7.' }).waitFor()
  })

  it('shows no names of customers without the group sales, and none of vendors without purchase', async () => {
    const names = unique((await trace('parties')).map((row) => text(row, 'name')))
    const namesShown = async (page: Page) => {
      const all = await page.locator('body').innerText()
      return names.filter((name) => all.includes(name))
    }
    const neither = await reader('quality', ['insight', 'production'])
    expect(await namesShown(neither)).toEqual([])
    await neither.getByText('Customers and vendors have no names here').waitFor()
    expect(await neither.getByRole('button', { name: 'Print recall list' }).count()).toBe(0)
    expect(await neither.locator('#balance tbody tr').count()).toBe(12)
    const seller = await reader('seller', ['insight', 'sales'])
    expect(await namesShown(seller)).toEqual(names.filter((name) => name !== 'Konkan Edible Oils'))
    await seller.getByText('Vendors have no names here').waitFor()
  })
})

/** On a phone, the genealogy is a list with every batch, customer and vendor of the API, and every link of it. */
async function expectLevels(page: Page): Promise<void> {
  const [links, batches, parties] = [await trace('links'), await trace('batches'), await trace('parties')]
  const heads = await page.locator('.levels .level-head > :first-child').allTextContents()
  expect(heads.sort()).toEqual(
    [...batches.map((row) => text(row, 'name')), ...unique(parties.map((row) => text(row, 'name')))].sort(),
  )
  const ends = ['from_sku', 'from_batch', 'from_party', 'to_sku', 'to_batch', 'to_party']
  const between = unique(
    links.map((row) => JSON.stringify([ends.map((name) => row[name]), /returned/.test(text(row, 'link'))])),
  )
  expect(await page.locator('.levels .ways span').count()).toBe(between.length)
  const [harbour, oil] = ['Harbour Line Stores', 'Refined Palm Oil'].map((name) =>
    page.locator('.level-node', { hasText: name }),
  ) as [Locator, Locator]
  expect(await harbour.locator('.ways span').allTextContents()).toEqual([
    '500 PCS of F9001-01',
    '60 PCS back of F9001-01',
  ])
  expect(await oil.textContent()).toContain('105 KG here')
}

describe('what to order', () => {
  const cellsOf = (page: Page, vendor: string) =>
    page
      .getByRole('region', { name: vendor })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))

  it('lists the stock that runs out by vendor, as the report of cover has it', async () => {
    const { page, errors } = await open('/ordering')
    await page.locator('.ordering tbody tr').first().waitFor()
    const due = (await recordsOf(the, 'insight.cover', {})).filter(({ order_qty }) => Number(order_qty) > 0)
    const pouch = due.find(({ sku }) => sku === 'PM-9001') as Row
    expect(pouch).toMatchObject({ vendor: 'V9001', order_qty: '7600.0000' })
    expect(await cellsOf(page, 'Vindhya Pouch Works')).toEqual([
      ['Festive Pouch', '7,600', 'NOS', 'now', '100', '3,000', text(pouch, 'runs_out_on'), '9', 'PM-9001'],
    ])
    expect(await page.locator('.ordering tbody tr').count()).toBe(due.length)
    expect(errors).toEqual([])
  })

  it('lists what a typed plan lacks: what to order from whom, and what to make', async () => {
    const { page } = await open('/ordering')
    await page.getByText('A plan', { exact: true }).click()
    await page.getByLabel('Products and quantities').fill('FG-9001=3000, FG-9002=1500, FG-9003=2500, FG-9004=1200')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await page.getByText('1 item to order from 1 vendor · 6 items to make · 2 others have enough').waitFor()
    expect(await cellsOf(page, 'Vindhya Pouch Works')).toEqual([
      ['Festive Pouch', '1,984', 'NOS', '5,084', '100', '3,000', 'PM-9001'],
    ])
    const made = await cellsOf(page, 'To be made here')
    expect(made.map(([, qty, , , , , sku]) => [sku, plain(qty ?? '')])).toEqual([
      ...[['FG-9001', '1340'], ['FG-9002', '1010'], ['FG-9003', '1784'], ['FG-9004', '950']], // biome-ignore format: one line
      ...[['SF-901', '578'], ['SF-902', '226.8']], // biome-ignore format: one line
    ])
  })
})

const screens = [
  ['dark', 390],
  ['light', 1280],
] as const
it.each(screens.slice(0, long ? 2 : 1))(
  '%s at %i px: axe finds no fault, and nothing is wider than the screen',
  async (colorScheme, width) => {
    const { page } = await fresh(
      the.signedIn(OIL_PAGE, { colorScheme, viewport: { width, height: 844 }, bypassCSP: true }),
    )
    await page
      .locator(width === 390 ? '.levels' : '.genealogy .node')
      .first()
      .waitFor()
    expect(await faults(page)).toEqual([])
    expect(await widthOf(page)).toBe(width)
    if (width === 390) {
      await expectLevels(page)
      // No list scrolls sideways.
      expect(
        await page.locator('.recall .lines').evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth)),
      ).toEqual([0, 0, 0])
      const balances = await page.locator('#balance tbody tr').allInnerTexts()
      expect(balances.map((card) => card.replace(/\s+/g, ' '))).toContainEqual(
        expect.stringContaining('Festive Boondi 200 g'),
      )
      await page.getByRole('button', { name: 'As a picture' }).click()
      // The start is in the middle of the frame.
      const [frame, start] = [
        await page.locator('.genealogy').boundingBox(),
        await page.locator('.genealogy .node.start').boundingBox(),
      ]
      const middle = (box: typeof frame, at: 'x' | 'y', size: 'width' | 'height') =>
        (box?.[at] ?? 0) + (box?.[size] ?? 0) / 2
      expect(Math.abs(middle(frame, 'x', 'width') - middle(start, 'x', 'width'))).toBeLessThan(40)
      expect(Math.abs(middle(frame, 'y', 'height') - middle(start, 'y', 'height'))).toBeLessThan(40)
      expect(await faults(page)).toEqual([])
      await page.getByRole('button', { name: 'As a list' }).click()
      await page.locator('.levels').waitFor()
      // The number to call is in view without scrolling sideways.
      const phones = await page.locator('#customers-list a[href^="tel:"]').all()
      expect(phones).toHaveLength(11)
      for (const phone of phones) {
        const box = await phone.boundingBox()
        expect((box?.x ?? 0) + (box?.width ?? width)).toBeLessThan(width)
      }
    }
    for (const [path, ready] of [
      ['/recall', '.seek input'],
      ['/ordering?by=orders', '.ordering tbody tr'],
    ] as const) {
      await page.goto(the.base + path)
      await page.locator(ready).first().waitFor()
      expect([path, await faults(page), await widthOf(page)]).toEqual([path, [], width])
    }
  },
)
