/** Writes XLSX files as spreadsheet programs do: shared and inline texts, styled dates, formulas, gaps. */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { zip } from '../../src/formats/zip.js'

export type XlsxCell =
  | string
  | number
  | null
  | { readonly date: number }
  | { readonly percent: number }
  /** A number with a number format of Excel. */
  | { readonly number: number; readonly format: string }
  | { readonly error: string }
  /** A cell as it stands in the file. */
  | { readonly xml: (place: string) => string }
  | { readonly inline: string }
  | { readonly formula: string; readonly text: string }

/** The styles before those with own formats: numbers, dates, percentages. */
const OWN_STYLES = 3

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const letters = (column: number): string =>
  column < 26 ? String.fromCharCode(65 + column) : letters(Math.floor(column / 26) - 1) + letters(column % 26)

/** `prefix` is the namespace prefix that some programs write before every element. */
export async function writeXlsx(
  file: string,
  sheets: Record<string, readonly (readonly XlsxCell[])[]>,
  {
    prefix = '',
    date1904 = false,
    hidden = [],
    hiddenRows = [],
    merged = [],
    parts: more = {},
  }: {
    prefix?: string
    date1904?: boolean
    hidden?: readonly string[]
    /** Of every sheet: the numbers of rows, and ranges such as A2:A4. */
    hiddenRows?: readonly number[]
    merged?: readonly string[]
    parts?: Record<string, string>
  } = {},
): Promise<void> {
  const shared: string[] = []
  const formats: string[] = []
  const styleFor = (format: string): number => {
    const known = formats.indexOf(format)
    return OWN_STYLES + (known < 0 ? formats.push(format) - 1 : known)
  }
  const tag = (name: string, attributes: string, content: string) =>
    `<${prefix}${name}${attributes}>${content}</${prefix}${name}>`
  const cellOf = (cell: XlsxCell, place: string): string => {
    if (cell === null) return ''
    if (typeof cell === 'number') return tag('c', ` r="${place}"`, tag('v', '', String(cell)))
    if (typeof cell === 'string') return tag('c', ` r="${place}" t="s"`, tag('v', '', String(shared.push(cell) - 1)))
    if ('date' in cell) return tag('c', ` r="${place}" s="1"`, tag('v', '', String(cell.date)))
    if ('xml' in cell) return cell.xml(place)
    if ('error' in cell) return tag('c', ` r="${place}" t="e"`, tag('v', '', escaped(cell.error)))
    if ('number' in cell)
      return tag('c', ` r="${place}" s="${styleFor(cell.format)}"`, tag('v', '', String(cell.number)))
    if ('percent' in cell) return tag('c', ` r="${place}" s="2"`, tag('v', '', String(cell.percent)))
    if ('inline' in cell)
      return tag(
        'c',
        ` r="${place}" t="inlineStr"`,
        tag('is', '', tag('t', ' xml:space="preserve"', escaped(cell.inline))),
      )
    if (cell.text === '') return tag('c', ` r="${place}"`, tag('f', '', cell.formula) + tag('v', '', ''))
    return tag('c', ` r="${place}" t="str"`, tag('f', '', cell.formula) + tag('v', '', escaped(cell.text)))
  }
  const names = Object.keys(sheets)
  const pages = Object.values(sheets).map((rows) =>
    rows
      .map((row, i) =>
        row.length === 0
          ? '' // a gap
          : tag(
              'row',
              ` r="${i + 1}"${hiddenRows.includes(i + 1) ? ' hidden="1"' : ''}`,
              row.map((cell, column) => cellOf(cell, `${letters(column)}${i + 1}`)).join(''),
            ),
      )
      .join(''),
  )
  const ranges = merged.map((range) => `<${prefix}mergeCell ref="${range}"/>`).join('')
  const mergedCells = ranges === '' ? '' : tag('mergeCells', ` count="${merged.length}"`, ranges)
  const space = `xmlns${prefix && `:${prefix.slice(0, -1)}`}="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
  const parts: Record<string, string> = {
    'xl/workbook.xml': tag(
      'workbook',
      ` ${space} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`,
      `<${prefix}workbookPr${date1904 ? ' date1904="1"' : ''}/>${tag(
        'sheets',
        '',
        names
          .map(
            (name, i) =>
              `<${prefix}sheet name="${escaped(name)}" sheetId="${i + 1}"${hidden.includes(name) ? ' state="hidden"' : ''} r:id="rId${i + 1}"/>`,
          )
          .join(''),
      )}`,
    ),
    'xl/_rels/workbook.xml.rels': `<Relationships>${names.map((_, i) => `<Relationship Id="rId${i + 1}" Type="t" Target="worksheets/sheet${i + 1}.xml"/>`).join('')}</Relationships>`,
    'xl/styles.xml': tag(
      'styleSheet',
      ` ${space}`,
      tag(
        'numFmts',
        '',
        `<${prefix}numFmt numFmtId="165" formatCode="dd\\-mmm\\-yy;@"/>${formats
          .map(
            (format, i) =>
              `<${prefix}numFmt numFmtId="${200 + i}" formatCode="${escaped(format).replaceAll('"', '&quot;')}"/>`,
          )
          .join('')}`,
      ) +
        tag(
          'cellXfs',
          '',
          `<${prefix}xf numFmtId="0"/><${prefix}xf numFmtId="165" applyNumberFormat="1"/><${prefix}xf numFmtId="10"/>${formats
            .map((_, i) => `<${prefix}xf numFmtId="${200 + i}"/>`)
            .join('')}`,
        ),
    ),
    'xl/sharedStrings.xml': tag(
      'sst',
      ` ${space}`,
      shared.map((text) => tag('si', '', tag('t', '', escaped(text)))).join(''),
    ),
    ...Object.fromEntries(
      pages.map((page, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        tag('worksheet', ` ${space}`, tag('sheetData', '', page) + mergedCells),
      ]),
    ),
    ...more,
  }
  const bytes = zip(Object.entries(parts).map(([name, text]) => ({ name, bytes: [Buffer.from(text)] })))
  await pipeline(bytes, createWriteStream(file))
}
