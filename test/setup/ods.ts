/** Writes OpenDocument spreadsheets as LibreOffice does: repeated cells and rows, styles, errors, formulas. */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { zip } from '../../src/formats/zip.js'

export type OdsCell =
  | string
  | number
  | null
  /** ISO 8601. */
  | { readonly day: string }
  | { readonly percent: number }
  | { readonly currency: string; readonly number: number }
  /** A number with a word before or behind it. */
  | { readonly number: number; readonly before?: string; readonly after?: string; readonly zeros?: number }
  /** Attributes and content as they stand in the file. */
  | { readonly attributes: string; readonly content?: string; readonly name?: string }

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\r', '&#13;')

const SPACES = ['office', 'table', 'text', 'style', 'number', 'calcext', 'manifest']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')

/** Spaces that XML would lose are elements. */
const paragraphs = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const spaced = escaped(line)
        .replace(/^ | {2,}| $/g, (spaces) => `<text:s text:c="${spaces.length}"/>`)
        .replaceAll('\t', '<text:tab/>')
      return `<text:p>${spaced}</text:p>`
    })
    .join('')

export async function writeOds(
  file: string,
  sheets: Record<string, readonly (readonly OdsCell[])[]>,
  { hidden = [], parts = {} }: { hidden?: readonly string[]; parts?: Record<string, string> } = {},
): Promise<void> {
  const styles: string[] = []
  const styleFor = (cell: { before?: string; after?: string; zeros?: number }): string => {
    const { before = '', after = '', zeros = 1 } = cell
    const text = (words: string) => (words === '' ? '' : `<number:text>${escaped(words)}</number:text>`)
    const own = `${text(before)}<number:number number:min-integer-digits="${zeros}"/>${text(after)}`
    const known = styles.indexOf(own)
    return `c${known < 0 ? styles.push(own) - 1 : known}`
  }
  const cellOf = (cell: OdsCell): string => {
    const tag = (attributes: string, content: string, name = 'table-cell') =>
      `<table:${name}${attributes}>${content}</table:${name}>`
    if (cell === null) return '<table:table-cell/>'
    if (typeof cell === 'string') return tag(' office:value-type="string"', paragraphs(cell))
    if (typeof cell === 'number')
      return tag(` office:value-type="float" office:value="${cell}"`, `<text:p>${cell}</text:p>`)
    if ('attributes' in cell) return tag(` ${cell.attributes}`, cell.content ?? '', cell.name)
    if ('day' in cell) return tag(` office:value-type="date" office:date-value="${cell.day}"`, `<text:p>x</text:p>`)
    if ('percent' in cell)
      return tag(` office:value-type="percentage" office:value="${cell.percent}"`, '<text:p>x</text:p>')
    if ('currency' in cell)
      return tag(
        ` office:value-type="currency" office:currency="${cell.currency}" office:value="${cell.number}"`,
        '<text:p>x</text:p>',
      )
    return tag(
      ` table:style-name="${styleFor(cell)}" office:value-type="float" office:value="${cell.number}"`,
      '<text:p>x</text:p>',
    )
  }
  const rowOf = (row: readonly OdsCell[]): string =>
    `<table:table-row>${row.map(cellOf).join('')}<table:table-cell table:number-columns-repeated="${16_384 - row.length}"/></table:table-row>`
  const tables = Object.entries(sheets).map(
    ([name, rows]) =>
      `<table:table table:name="${escaped(name)}" table:style-name="${hidden.includes(name) ? 'ta2' : 'ta1'}">` +
      '<table:table-column table:number-columns-repeated="16384"/>' +
      `${rows.map(rowOf).join('')}<table:table-row table:number-rows-repeated="${1_048_576 - rows.length}"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`,
  )
  const automatic =
    '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="true"/></style:style>' +
    '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>' +
    styles
      .map(
        (own, i) =>
          `<number:number-style style:name="N${i}">${own}</number:number-style><style:style style:name="c${i}" style:family="table-cell" style:data-style-name="N${i}"/>`,
      )
      .join('')
  const content = `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${SPACES}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:spreadsheet>${tables.join('')}</office:spreadsheet></office:body></office:document-content>`
  const all: Record<string, string> = {
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'META-INF/manifest.xml': `<manifest:manifest ${SPACES}/>`,
    'content.xml': content,
    ...parts,
  }
  const bytes = zip(Object.entries(all).map(([name, text]) => ({ name, bytes: [Buffer.from(text)] })))
  await pipeline(bytes, createWriteStream(file))
}
