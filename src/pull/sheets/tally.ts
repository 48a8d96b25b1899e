/** Reads Tally's own XML export of vouchers and masters as a book: one sheet per kind of record, with the tags as headings. */
import { createReadStream } from 'node:fs'
import { encodingOf } from './kind.js'
import { OverLimit } from './limits.js'
import type { SheetRow } from './sheet.js'
import type { Element, TallyRow } from './tally-cells.js'
import { MESSAGES, STANDARD, TallySheets } from './tally-sheets.js'
import { type Attributes, readXml, type XmlHandler } from './xml.js'

export interface TallyBook {
  readonly sheets: readonly { readonly name: string; readonly hidden: boolean }[]
  rows(sheet: string): AsyncGenerator<SheetRow>
}

/** Reads the file once to learn which sheets and tags it has, and again for each sheet. */
export async function openTally(file: string): Promise<TallyBook> {
  // A file without goods that came in has an empty sheet of them, so that one mapping fits all files.
  const headings = new Map(Object.entries(STANDARD).map(([sheet, names]) => [sheet, new Set(names)]))
  let isTally = false
  const sheets = new TallySheets()
  for await (const record of recordsOf(file, () => {
    isTally = true
  }))
    for (const { sheet, cells } of sheets.rowsIn(record)) {
      const known = headings.get(sheet) ?? new Set<string>()
      headings.set(sheet, known)
      for (const name of cells.keys()) known.add(name)
      if (known.size > MOST_TAGS) throw new OverLimit(`its ${sheet} have more than ${MOST_TAGS} tags`)
    }
  if (!isTally) throw new Error(NOT_TALLY)
  return {
    sheets: [...headings.keys()].map((name) => ({ name, hidden: false })),
    async *rows(sheet) {
      const names = [...(headings.get(sheet) ?? [])]
      yield { line: 1, cells: names }
      let line = 1
      const sheets = new TallySheets()
      for await (const record of recordsOf(file))
        for (const row of sheets.rowsIn(record))
          if (row.sheet === sheet) yield { line: ++line, cells: cellsOf(row, names) }
    },
  }
}

const MOST_TAGS = 2000
const NOT_TALLY =
  'it is XML, but no export of Tally (ENVELOPE with TALLYMESSAGE): export vouchers or masters from Tally as XML, or save the table as .xlsx'

const cellsOf = ({ cells }: TallyRow, names: readonly string[]) => names.map((name) => cells.get(name) ?? null)

/** Masters and vouchers, one after the other. */
async function* recordsOf(file: string, onEnvelope: () => void = () => {}): AsyncGenerator<Element> {
  yield* readXml<Element>(textOf(file), 'text', (emit) => new RecordReader(emit, onEnvelope))
}

const MOST_ELEMENTS = 1_000_000
const MOST_CHARACTERS = 1 << 26

/** Builds the elements of one record at a time. */
class RecordReader implements XmlHandler {
  readonly #emit: (record: Element) => void
  readonly #onEnvelope: () => void
  #inMessages = 0
  /** The open elements of the record. */
  readonly #open: { -readonly [Key in keyof Element]: Element[Key] }[] = []
  #path: string[] = []
  #elements = 0
  #characters = 0

  constructor(emit: (record: Element) => void, onEnvelope: () => void) {
    this.#emit = emit
    this.#onEnvelope = onEnvelope
  }

  open(tag: string, attributes: Attributes): void {
    const isOutside = this.#open.length === 0
    this.#path.push(tag)
    if (this.#path.length === 1 && tag !== 'ENVELOPE' && tag !== 'TALLYMESSAGE') throw new Error(NOT_TALLY)
    if (MESSAGES.has(tag) && isOutside) {
      this.#onEnvelope()
      this.#inMessages++
      return
    }
    const isCompany = isOutside && tag === 'SVCURRENTCOMPANY'
    if (isOutside && this.#inMessages === 0 && !isCompany) return
    if (isOutside) this.#elements = this.#characters = 0
    const element = { tag, attributes, text: '', children: [] }
    if (++this.#elements > MOST_ELEMENTS) throw new OverLimit(`a ${this.#open[0]?.tag} in it has too many parts`)
    this.#open.at(-1)?.children.push(element)
    this.#open.push(element)
  }

  text(text: string): void {
    const element = this.#open.at(-1)
    if (element === undefined) return
    this.#characters += text.length
    if (this.#characters > MOST_CHARACTERS) throw new OverLimit(`a ${this.#open[0]?.tag} in it is too long`)
    element.text += text
  }

  close(tag: string): void {
    this.#path.pop()
    const element = this.#open.pop()
    if (element === undefined) {
      if (MESSAGES.has(tag)) this.#inMessages--
    } else if (this.#open.length === 0) this.#emit(element)
  }
}

/** Characters that XML forbids: Tally writes &#4; before names that are its own, such as &#4; Primary. */
const FORBIDDEN = /&#(?:0*([0-9]{1,2})|[xX]0*([0-9a-fA-F]{1,2}));|(?![\t\n\r])\p{Cc}/gu

async function* textOf(file: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let rest = ''
  for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingIn(bytes), { fatal: true })
    rest += decode(decoder, bytes)
    // A reference may be cut in two.
    const cut = rest.lastIndexOf('&')
    const end = cut >= 0 && rest.length - cut < 12 ? cut : rest.length
    yield clean(rest.slice(0, end))
    rest = rest.slice(end)
  }
  yield clean(rest + (decoder === undefined ? '' : decode(decoder)))
}

function decode(decoder: InstanceType<typeof TextDecoder>, bytes?: Buffer): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined })
  } catch {
    throw new Error(`its text is not ${decoder.encoding}: export it from Tally as Unicode`)
  }
}

/** The encoding that the bytes or the XML declaration name. */
function encodingIn(bytes: Buffer): string {
  const found = encodingOf(bytes)
  if (found !== 'utf-8') return found
  const named = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding=["']([\w-]+)["']/.exec(bytes.toString('latin1', 0, 200))?.[1]
  if (named === undefined || /^utf-?(8|16)$|^ascii$/i.test(named)) return 'utf-8'
  try {
    new TextDecoder(named)
  } catch {
    throw new Error(`its encoding ${named} is unknown: export it from Tally as Unicode`)
  }
  return named
}

const clean = (text: string): string =>
  text.replace(/^<\?xml[^>]*\?>/, '').replace(FORBIDDEN, (all, decimal?: string, hex?: string) => {
    if (decimal === undefined && hex === undefined) return ''
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code < 32 && code !== 9 && code !== 10 && code !== 13 ? '' : all
  })
