/** The parts of an XLSX file beside its sheets: the list of sheets, shared texts, styles and links (ECMA-376). */
import { formatReader } from './cells.js'
import { OverLimit, Text } from './limits.js'
import { builtInFormat, type NumberFormat } from './number-format.js'
import { type Attributes, localName, scanXml } from './xml.js'
import type { Zip } from './zip.js'

export interface BookPart {
  readonly sheets: readonly { readonly name: string; readonly hidden: boolean; readonly path: string }[]
  /** Dates count from 1904. */
  readonly is1904: boolean
  /** Links to other files, in the order in which formulas number them. */
  readonly links: readonly string[]
}

const MOST_SHEETS = 10_000
const [MOST_TEXTS, LONGEST_TEXTS] = [10_000_000, 200_000_000]
const MOST_STYLES = 100_000

export async function readBook(zip: Zip): Promise<BookPart> {
  if (zip.has('xl/workbook.bin'))
    throw new Error('it is a binary workbook (.xlsb): open it in a spreadsheet program, and save it as .xlsx')
  if (!zip.has('xl/workbook.xml')) throw new Error('it is not an XLSX file: it has no xl/workbook.xml')
  const given: { name: string; state: string | undefined; id: string }[] = []
  const ids: string[] = []
  let is1904 = false
  await scanXml(zip.text('xl/workbook.xml'), 'xl/workbook.xml', {
    open(name, attributes) {
      const tag = localName(name)
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? ''
      if (tag === 'sheet') given.push({ name: attributes['name'] ?? '', state: attributes['state'], id })
      else if (tag === 'externalReference') ids.push(id)
      else if (tag === 'workbookPr') is1904 = /^(1|true)$/.test(attributes['date1904'] ?? '')
      if (given.length > MOST_SHEETS || ids.length > MOST_SHEETS) throw new OverLimit('it has too many sheets')
    },
  })
  const relations = await relationsOf(zip)
  const pathOf = (id: string) => relations.get(id)?.path ?? ''
  return {
    sheets: given
      .filter(({ id }) => !/\/(chart|dialog|macro)sheet$/i.test(relations.get(id)?.type ?? ''))
      .map(({ name, state, id }) => ({ name, hidden: /hidden$/i.test(state ?? ''), path: pathOf(id) })),
    is1904,
    links: ids.map(pathOf),
  }
}

async function relationsOf(zip: Zip): Promise<Map<string, { path: string; type: string }>> {
  const relations = new Map<string, { path: string; type: string }>()
  await scanXml(zip.text('xl/_rels/workbook.xml.rels'), 'xl/_rels/workbook.xml.rels', {
    open(name, { Id = '', Target = '', Type = '' }: Attributes) {
      if (localName(name) !== 'Relationship') return
      relations.set(Id, { path: Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`, type: Type })
      if (relations.size > MOST_SHEETS) throw new OverLimit('it has too many parts')
    },
  })
  return relations
}

/** Texts that cells refer to by number: all runs of each joined, without its phonetic hints. */
export async function sharedTexts(zip: Zip): Promise<string[]> {
  const texts: string[] = []
  const text = new Text()
  let [isText, isPhonetic, length] = [false, false, 0]
  if (!zip.has('xl/sharedStrings.xml')) return texts
  await scanXml(zip.text('xl/sharedStrings.xml'), 'xl/sharedStrings.xml', {
    open(name) {
      const tag = localName(name)
      if (tag === 't') isText = !isPhonetic
      else if (tag === 'rPh') isPhonetic = true
      else if (tag === 'si') {
        text.clear()
        text.nextRow()
      }
    },
    text(piece) {
      if (isText) text.add(piece)
    },
    close(name) {
      const tag = localName(name)
      if (tag === 't') isText = false
      else if (tag === 'rPh') isPhonetic = false
      else if (tag === 'si') {
        length += text.value.length
        if (texts.push(text.value) > MOST_TEXTS || length > LONGEST_TEXTS) throw new OverLimit('it has too many texts')
      }
    },
  })
  return texts
}

/** How each style shows numbers, by the number of the style. */
export async function stylesOf(zip: Zip): Promise<NumberFormat[]> {
  const own = new Map<number, string>()
  const used: number[] = []
  let isCells = false
  if (!zip.has('xl/styles.xml')) return []
  await scanXml(zip.text('xl/styles.xml'), 'xl/styles.xml', {
    open(name, attributes) {
      const tag = localName(name)
      if (tag === 'numFmt') own.set(Number(attributes['numFmtId']), attributes['formatCode'] ?? '')
      else if (tag === 'cellXfs') isCells = true
      else if (tag === 'xf' && isCells) used.push(Number(attributes['numFmtId'] ?? 0))
      if (used.length > MOST_STYLES || own.size > MOST_STYLES) throw new OverLimit('it has too many styles')
    },
    close(name) {
      if (localName(name) === 'cellXfs') isCells = false
    },
  })
  const read = formatReader()
  return used.map((id) => read(own.get(id) ?? builtInFormat(id)))
}

/** The numbers, from 1, of links that fetch from another program. */
export async function ddeLinks(zip: Zip, { links }: BookPart): Promise<Set<string>> {
  const found = new Set<string>()
  for (const [i, path] of links.entries())
    await scanXml(zip.text(path), path, {
      open(name) {
        if (/^(dde|ole)Link$/.test(localName(name))) found.add(String(i + 1))
      },
    })
  return found
}
