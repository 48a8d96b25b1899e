/** Copies raw values instead of formatted text: `1234567.00` for `12,34,567.00`, and tabs between cells. */
import { signal } from '@preact/signals'
import { withoutFormula } from '../../../src/formula-text.js'

/** The note about the last copy, shown for a moment. */
export const copied = signal<string | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** True if the browser allowed it. */
export async function copyText(text: string, note: string): Promise<boolean> {
  const done = await toClipboard(text)
  say(done ? note : 'The browser does not allow copying here.')
  return done
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return byCommand(text) // a page over plain HTTP has no clipboard API, except on localhost
  }
}

function byCommand(text: string): boolean {
  const before = document.activeElement as HTMLElement | null
  const area = document.createElement('textarea')
  area.className = 'unseen'
  area.value = text
  // Nothing outside an open dialog can be selected.
  const around = before?.closest('dialog') ?? document.body
  around.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  before?.focus()
  return done
}

function say(note: string): void {
  copied.value = note
  clearTimeout(timer)
  timer = setTimeout(() => {
    copied.value = undefined
  }, 2500)
}

/** Unfolded lines are a cell with a table in it. */
const CELLS = '[role=gridcell]:not(:has(table)),td,th'
const ROWS = '[role=row],tr'

/** The raw value of an element that shows formatted text; a text that a spreadsheet would run as a formula gets an apostrophe. */
function raw(element: Element): string {
  const copy = element.cloneNode(true) as Element
  for (const shown of copy.querySelectorAll('[data-raw]')) shown.textContent = shown.getAttribute('data-raw')
  const text = (copy.textContent ?? '').trim()
  return element.querySelector('.num') === null ? withoutFormula(text) : text
}

/** Copies a selection over cells as rows of raw values; leaves any other selection to the browser. */
export function copyRawCells(): void {
  document.addEventListener('copy', (event) => {
    const selection = getSelection()
    if (selection === null || selection.isCollapsed || event.clipboardData === null) return
    const range = selection.getRangeAt(0)
    const around = range.commonAncestorContainer
    const element = around instanceof Element ? around : around.parentElement
    if (element === null || element.closest('input,textarea')) return
    const cells = element.closest('[role=grid],table') === null ? undefined : rowsIn(range, element)
    event.clipboardData.setData('text/plain', cells ?? withRawNumbers(range, element, String(selection)))
    event.preventDefault()
  })
}

/** The selected text with raw numbers; a part of a number keeps its digits only. */
function withRawNumbers(range: Range, around: Element, text: string): string {
  const inside = around.closest('[data-raw]')
  if (inside !== null && text.trim() !== inside.textContent)
    return inside.matches('.num') ? text.replaceAll(',', '').replace('−', '-') : text
  let [done, rest] = ['', text]
  for (const number of inside === null ? around.querySelectorAll('[data-raw]') : [inside]) {
    const shown = number.textContent ?? ''
    const at = range.intersectsNode(number) ? rest.indexOf(shown) : -1
    if (at < 0) continue
    done += rest.slice(0, at) + number.getAttribute('data-raw')
    rest = rest.slice(at + shown.length)
  }
  return done + rest
}

/** Undefined if the range is inside a single cell. */
function rowsIn(range: Range, around: Element): string | undefined {
  const cells = [...around.querySelectorAll(CELLS)].filter((cell) => range.intersectsNode(cell) && hasText(range, cell))
  const rows = new Map<Element | null, string[]>()
  for (const cell of cells) {
    const row = cell.closest(ROWS)
    rows.set(row, [...(rows.get(row) ?? []), raw(cell)])
  }
  return rows.size === 0 ? undefined : [...rows.values()].map((texts) => texts.join('\t')).join('\n')
}

/** Whether the range has some of the cell's text, not only its edge; an empty cell counts. */
function hasText(range: Range, cell: Element): boolean {
  const common = document.createRange()
  common.selectNodeContents(cell)
  if (String(common) === '') return true
  if (range.compareBoundaryPoints(Range.START_TO_START, common) > 0)
    common.setStart(range.startContainer, range.startOffset)
  if (range.compareBoundaryPoints(Range.END_TO_END, common) < 0) common.setEnd(range.endContainer, range.endOffset)
  return String(common) !== ''
}
