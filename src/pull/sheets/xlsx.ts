/** Reads the rows of a sheet of an XLSX file (ECMA-376), one after the other. */
import { withoutExponent } from '../values.js'
import type { SheetCell, SheetRow } from './sheet.js'
import { openZip, type Zip } from './zip.js'

/** In characters: a row or a list of styles that never ends would fill the memory. */
const LONGEST_ROW = 1 << 24

/** `sheet` is the sheet's name; without it, the first sheet is read. */
export async function* readXlsx(file: string, sheet: string | undefined): AsyncGenerator<SheetRow> {
  const zip = await openZip(file)
  try {
    yield* rowsOf(zip, sheet)
  } finally {
    zip.close()
  }
}

async function* rowsOf(zip: Zip, sheet: string | undefined): AsyncGenerator<SheetRow> {
  const book = await whole(zip, 'xl/workbook.xml')
  const path = await findSheet(zip, book, sheet)
  const texts = await sharedTexts(zip)
  const styles = await stylesOf(zip)
  const epoch = /<(?:\w+:)?workbookPr[^>]*date1904="(?:1|true)"/.test(book) ? 1462 : 0
  let line = 0
  for await (const row of elements(zip.text(path), 'row')) {
    line = Number(attribute(row, 'r') ?? line + 1)
    const cells: SheetCell[] = []
    for (const [cell] of row.matchAll(/<(?:\w+:)?c(?=[\s>/])(?:[^>]*\/>|[\s\S]*?<\/(?:\w+:)?c>)/g)) {
      const place = attribute(cell, 'r')
      const column = place === undefined ? cells.length : columnOf(place)
      while (cells.length < column) cells.push(null)
      cells[column] = cellOf(cell, texts, styles, epoch)
    }
    yield { line, cells }
  }
}

async function findSheet(zip: Zip, book: string, wanted: string | undefined): Promise<string> {
  const sheets = [...book.matchAll(/<(?:\w+:)?sheet\s[^>]*>/g)].map(([tag]) => ({
    name: unescaped(attribute(tag, 'name') ?? ''),
    id: /\s\w+:id="([^"]*)"/.exec(tag)?.[1],
  }))
  const found = wanted === undefined ? sheets[0] : sheets.find(({ name }) => name === wanted)
  if (found === undefined)
    throw new Error(`there is no sheet ${wanted ?? ''}; there are ${sheets.map(({ name }) => name).join(', ')}`)
  const relations = await whole(zip, 'xl/_rels/workbook.xml.rels')
  const relation = [...relations.matchAll(/<Relationship\s[^>]*>/g)]
    .map(([tag]) => tag)
    .find((tag) => attribute(tag, 'Id') === found.id)
  const target = (relation && attribute(relation, 'Target')) ?? ''
  const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
  if (!zip.has(path)) throw new Error(`the sheet ${found.name} is missing in the file`)
  return path
}

/** Texts that cells refer to by number. */
async function sharedTexts(zip: Zip): Promise<string[]> {
  const texts: string[] = []
  for await (const item of elements(zip.text('xl/sharedStrings.xml'), 'si')) texts.push(textIn(item))
  return texts
}

type Style = 'date' | 'percent' | 'number'

/** How each style shows numbers, by the number of the style. */
async function stylesOf(zip: Zip): Promise<Style[]> {
  const styles = await whole(zip, 'xl/styles.xml')
  const own = new Map(
    [...styles.matchAll(/<(?:\w+:)?numFmt\s[^>]*>/g)].map(([tag]) => [
      attribute(tag, 'numFmtId'),
      unescaped(attribute(tag, 'formatCode') ?? ''),
    ]),
  )
  const formats = /<(?:\w+:)?cellXfs[\s\S]*?<\/(?:\w+:)?cellXfs>/.exec(styles)?.[0] ?? ''
  return [...formats.matchAll(/<(?:\w+:)?xf\s[^>]*>/g)].map(([tag]) => {
    const id = attribute(tag, 'numFmtId') ?? '0'
    const code = own.get(id)?.replace(/"[^"]*"|\[[^\]]*\]|\\./g, '')
    if (code !== undefined) return /[ymdhs]/i.test(code) ? 'date' : code.includes('%') ? 'percent' : 'number'
    const number = Number(id)
    const isDate =
      (number >= 14 && number <= 22) ||
      (number >= 27 && number <= 36) ||
      (number >= 45 && number <= 58 && number !== 48 && number !== 49)
    return isDate ? 'date' : number === 9 || number === 10 ? 'percent' : 'number'
  })
}

function cellOf(cell: string, texts: readonly string[], styles: readonly Style[], epoch: number): SheetCell {
  const type = attribute(cell, 't') ?? 'n'
  if (type === 'inlineStr') return textIn(cell)
  const written = /<(?:\w+:)?v(?:\s[^>]*)?>([\s\S]*?)<\/(?:\w+:)?v>/.exec(cell)?.[1]
  const isFormula = /<(?:\w+:)?f[\s>/]/.test(cell)
  if (written === undefined || written === '') return isFormula && type === 'n' ? { fault: UNCALCULATED } : null
  switch (type) {
    case 's':
      return texts[Number(written)] ?? { fault: 'refers to a text that the file lacks' }
    case 'b':
      return { value: written === '1' ? 'true' : 'false' }
    case 'd':
      return { value: written.replace('T', ' ').replace(/\.\d+$|Z$/g, '') }
    case 'n': {
      const number = asShown(Number(written))
      const style = styles[Number(attribute(cell, 's') ?? 0)]
      if (style === 'date') return { value: dayOf(number + epoch) }
      const value = String(withoutExponent(number))
      return style === 'percent' ? { value, percent: String(withoutExponent(asShown(number * 100))) } : { value }
    }
    case 'e':
      return { fault: `is ${unescaped(written)}` }
    default:
      return unescaped(written) // the text of a formula
  }
}

/** Programs that do not calculate write such formulas. */
const UNCALCULATED = 'is a formula without its result: open the file in a spreadsheet program, and save it'

/** A spreadsheet shows 15 digits of a number, and calculates with a few more. */
const asShown = (number: number) => Number(number.toPrecision(15))

/** Days since 30 December 1899; a whole number is a date, any other one has a time. */
function dayOf(serial: number): string {
  const moment = new Date(Date.UTC(1899, 11, 30) + Math.round(serial * 86_400) * 1000).toISOString()
  return moment.slice(0, 19).replace('T00:00:00', '').replace('T', ' ')
}

/** C7 is in column 2. */
function columnOf(place: string): number {
  let column = 0
  for (const letter of place.replace(/\d+$/, '')) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`^[^>]*?\\s${name}="([^"]*)"`).exec(tag)?.[1]

/** All runs of a text joined, without its phonetic hints. */
const textIn = (xml: string): string =>
  [
    ...xml
      .replace(/<(?:\w+:)?rPh[\s\S]*?<\/(?:\w+:)?rPh>/g, '')
      .matchAll(/<(?:\w+:)?t(?:\s[^>]*)?>([\s\S]*?)<\/(?:\w+:)?t>/g),
  ]
    .map(([, text = '']) => unescaped(text))
    .join('')

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (all, hex?: string, decimal?: string, name = '') =>
    hex || decimal ? String.fromCodePoint(hex ? Number.parseInt(hex, 16) : Number(decimal)) : (ENTITIES[name] ?? all),
  )

async function whole(zip: Zip, name: string): Promise<string> {
  let text = ''
  for await (const piece of zip.text(name)) {
    text += piece
    if (text.length > LONGEST_ROW) throw new Error(`its ${name} has more than ${LONGEST_ROW} characters`)
  }
  return text
}

/** Each element of this name as text, from its first character to its last. */
async function* elements(pieces: AsyncIterable<string>, name: string): AsyncGenerator<string> {
  const open = new RegExp(`<(?:\\w+:)?${name}(?=[\\s>/])[^>]*>`, 'g')
  const close = new RegExp(`</(?:\\w+:)?${name}>`, 'g')
  let rest = ''
  for await (const piece of pieces) {
    rest += piece
    let at = 0
    while (true) {
      open.lastIndex = at
      const begin = open.exec(rest)
      if (begin === null) break
      if (begin[0].endsWith('/>')) {
        at = open.lastIndex
        yield begin[0]
        continue
      }
      close.lastIndex = open.lastIndex
      if (close.exec(rest) === null) {
        at = begin.index
        break
      }
      at = close.lastIndex
      yield rest.slice(begin.index, at)
    }
    // Text without an element may end in the cut-off beginning of one.
    rest = rest.slice(at)
    if (rest.length > LONGEST_ROW) throw new Error(`a ${name} in it has more than ${LONGEST_ROW} characters`)
  }
}
