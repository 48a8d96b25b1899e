/** The two ways in which a person works with the console: by pointer, and by keyboard alone. A script in the page counts what the person does. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export type HandName = 'pointer' | 'keyboard'

export interface Hand {
  readonly name: HandName
  readonly page: Page
  /** Clicks or taps, or keys that type no character, since the last call. */
  counted(): Promise<number>
  /** Presses a button, a link, an item of a menu, a radio button or a checkbox. */
  press(target: Locator): Promise<void>
  /** Presses the figure or the link in a cell of the table. */
  open(cell: Locator): Promise<void>
  write(field: Locator, text: string): Promise<void>
  /** Chooses an option of a list by its words; for a pointer two clicks. */
  choose(list: Locator, label: string): Promise<void>
  openReport(title: string): Promise<void>
  /** Opens what a pin of the overview shows. */
  openPin(title: string): Promise<void>
  /** Searches in the palette, and opens what it finds. */
  find(text: string, found: RegExp): Promise<void>
}

/** Counts before the page's scripts can stop an event. A click of the keyboard has no pointer. */
const COUNTER = `
  addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) counted('pointer') }, true)
  addEventListener('keydown', ({ isTrusted, key, ctrlKey }) => {
    if (isTrusted && (key.length > 1 || ctrlKey) && !['Control', 'Shift'].includes(key)) counted('key')
  }, true)`

async function countIn(page: Page, own: 'pointer' | 'key') {
  const counts = { pointer: 0, key: 0 }
  await page.exposeFunction('counted', (kind: 'pointer' | 'key') => {
    counts[kind]++
  })
  await page.addInitScript(COUNTER)
  const counted = async () => {
    await page.evaluate('0') // the calls before this one have arrived
    const other = own === 'pointer' ? counts.key : counts.pointer
    const count = counts[own]
    Object.assign(counts, { pointer: 0, key: 0 })
    if (other > 0) throw new Error(`the ${own === 'pointer' ? 'keyboard' : 'pointer'} was used too`)
    return count
  }
  return { counts, counted }
}

const palette = (page: Page) => page.getByRole('combobox')

export async function pointer(page: Page): Promise<Hand> {
  const { counts, counted } = await countIn(page, 'pointer')
  return {
    ...{ name: 'pointer', page, counted },
    press: (target) => target.click(),
    open: (cell) => cell.locator('.drill').click(),
    async write(field, text) {
      if (!(await field.evaluate((element) => element.matches(':focus')))) await field.click()
      await page.keyboard.type(text)
    },
    async choose(list, label) {
      await list.selectOption({ label }) // the browser draws the list outside of the page
      counts.pointer += 2
    },
    openReport: (title) => page.locator('.rail').getByRole('link', { name: title, exact: true }).click(),
    openPin: (title) => page.locator('.pin h2').getByRole('link', { name: title, exact: true }).click(),
    async find(text, found) {
      await page
        .getByRole('button', { name: /^Search/ })
        .and(page.locator(':visible'))
        .first()
        .click()
      await page.keyboard.type(text)
      await page.getByRole('option', { name: found }).first().click()
    },
  }
}

/** More stops than any page has. */
const MOST_STOPS = 250

type Place = readonly [row: number, column: number]
const place = (page: Page, element: string) =>
  page.evaluate(`(() => {
    const cell = ${element}?.closest('.grid [data-column]')
    const row = cell?.closest('[aria-rowindex]')
    return cell && row ? [Number(row.getAttribute('aria-rowindex')), Number(cell.dataset.column)] : null
  })()`) as Promise<Place | null>

export async function keyboard(page: Page): Promise<Hand> {
  const { counts, counted } = await countIn(page, 'key')
  const key = (name: string) => page.keyboard.press(name)
  const isFocused = (target: Locator) => target.evaluate((element) => element.matches(':focus'))
  const isIn = (selector: string) =>
    page.evaluate(`document.activeElement?.closest(${JSON.stringify(selector)}) != null`) as Promise<boolean>

  /** Whether the focus is after the target, in the content of the page. */
  const isPast = (target: Locator): Promise<boolean> =>
    target.evaluate((element) => {
      const focused = element.ownerDocument.activeElement
      return (
        focused?.closest('#main') != null &&
        (focused.compareDocumentPosition(element) & element.DOCUMENT_POSITION_PRECEDING) !== 0
      )
    })

  /** Tab goes to the target, arrows within a menu or a group of radio buttons; the skip link goes to the content. */
  async function reach(target: Locator): Promise<void> {
    await target.waitFor()
    const inMain = await target.evaluate((element) => element.closest('#main') !== null)
    const isItem = await target.evaluate((element) => element.matches('.popover .item'))
    const isRadio = await target.evaluate((element) => element.matches('[type=radio]'))
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      if (await isFocused(target)) return
      if (isItem && (await isIn('.popover :is(.item, [type=search])'))) await key('ArrowDown')
      else if (isRadio && (await isIn('[type=radio]'))) await key('ArrowDown')
      else if (inMain && (await isIn('.skip'))) await key('Enter')
      else await key(inMain && (await isPast(target)) ? 'Shift+Tab' : 'Tab')
    }
    throw new Error(`the keyboard does not reach ${target}`)
  }

  async function open(cell: Locator): Promise<void> {
    await cell.waitFor()
    for (let stop = 0; stop < MOST_STOPS && !(await isIn('.grid [data-column]')); stop++)
      await key((await isIn('.skip')) ? 'Enter' : 'Tab')
    const [row, column] = (await cell.evaluate((element) => [
      Number(element.closest('[aria-rowindex]')?.getAttribute('aria-rowindex')),
      Number(element.getAttribute('data-column')),
    ])) as unknown as Place
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      const at = await place(page, 'document.activeElement')
      if (at === null) throw new Error('the focus has left the table')
      if (at[0] < row) await key('ArrowDown')
      else if (at[0] > row) await key('ArrowUp')
      else if (at[1] < column) await key('ArrowRight')
      else if (at[1] > column) await key('ArrowLeft')
      else return await key('Enter')
    }
  }

  async function find(text: string, found: RegExp): Promise<void> {
    await key('Control+k')
    await palette(page).waitFor()
    await page.keyboard.type(text)
    const option = page.getByRole('option', { name: found }).first()
    await option.waitFor()
    while ((await option.getAttribute('aria-selected')) !== 'true') await key('ArrowDown')
    await key('Enter')
  }

  return {
    ...{ name: 'keyboard', page, counted, open, find },
    async press(target) {
      await reach(target)
      const isChecked = await target.evaluate((element) => element.matches('[type=radio]:checked'))
      if (isChecked) return
      await key((await target.evaluate((element) => element.matches('[type=checkbox],[type=radio]'))) ? ' ' : 'Enter')
    },
    async write(field, text) {
      if (await field.evaluate((element) => element.id === 'search-rows')) {
        await key('/') // the shortcut is a key too, though it could be a letter
        counts.key++
        await expect.poll(() => isFocused(field)).toBe(true)
      } else await reach(field)
      await page.keyboard.type(text)
    },
    async choose(list, label) {
      await reach(list)
      await page.keyboard.type(label)
    },
    openReport: (title) => find(title, new RegExp(`^${title}`)),
    openPin: (title) => find(title, new RegExp(`^${title}.*Pin`)),
  }
}
