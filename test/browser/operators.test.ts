/** The pages of operators: clients, users, sessions, the audit trail and loads. */
import { expect, it } from 'vitest'
import { consoleForFile, type Opened, signIn } from '../setup/console.js'
import { inLongTier, long } from '../setup/tier.js'

const { the, open, fresh } = consoleForFile()

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

it.each(long ? [390, 820, 1280] : [])('at %i px every cell and every action of the lists is in view', async (width) => {
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
    const outside = await page.evaluate(`[...document.querySelectorAll('.cards :is(td, th[scope=row]), .cards button')]
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
})

it('loads are listed with their counts', async () => {
  const { page } = await open('/operate/loads')
  await page.locator('.data tbody tr').first().getByRole('button').click()
  await page.getByRole('rowheader', { name: 'Stock movements' }).waitFor()
})
