/** The styles of an OpenDocument spreadsheet: which sheets are hidden, and the number format of each cell style. */
import { formatReader } from './cells.js'
import { OverLimit } from './limits.js'
import type { NumberFormat } from './number-format.js'
import type { Attributes, XmlHandler } from './xml.js'

export interface OdsStyles {
  /** Names of the styles of hidden sheets. */
  readonly hidden: Set<string>
  readonly cells: Map<string, { parent: string | undefined; data: string | undefined }>
  /** By name: the number format, written as Excel writes it. */
  readonly formats: Map<string, Data>
  formatOf(style: string | undefined): NumberFormat | undefined
}

interface Data {
  code: string
  /** Other formats for some numbers. */
  readonly maps: { condition: string; style: string }[]
}

const MOST_STYLES = 100_000

export function noStyles(): OdsStyles {
  const cells: OdsStyles['cells'] = new Map()
  const formats: OdsStyles['formats'] = new Map()
  const read = formatReader()
  const known = new Map<string, NumberFormat | undefined>()
  const codeOf = (name: string): string | undefined => {
    const data = formats.get(name)
    if (data === undefined) return undefined
    const mapped = data.maps.map(({ condition, style }) => `[${condition}]${formats.get(style)?.code ?? 'General'}`)
    return [...mapped, data.code].join(';')
  }
  const find = (style: string): NumberFormat | undefined => {
    let at: string | undefined = style
    for (let i = 0; at !== undefined && i < 20; i++) {
      const found = cells.get(at)
      if (found?.data !== undefined) {
        const code = codeOf(found.data)
        return code === undefined ? undefined : read(code)
      }
      at = found?.parent
    }
    return undefined
  }
  return {
    ...{ hidden: new Set(), cells, formats },
    formatOf(style) {
      if (style === undefined) return undefined
      if (!known.has(style)) known.set(style, find(style))
      return known.get(style)
    },
  }
}

/** Takes the styles out of a document that is read. */
export class StyleReader implements XmlHandler {
  readonly #styles: OdsStyles
  #style: { name: string; family: string | undefined } | undefined
  #data: Data | undefined
  #isLiteral = false

  constructor(styles: OdsStyles) {
    this.#styles = styles
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'style:style') this.#begin(attributes)
    else if (name === 'style:table-properties') {
      if (attributes['table:display'] === 'false' && this.#style?.family === 'table')
        this.#styles.hidden.add(this.#style.name)
    } else if (/^number:(number|currency|percentage)-style$/.test(name)) {
      this.#data = { code: '', maps: [] }
      this.#styles.formats.set(attributes['style:name'] ?? '', this.#data)
      this.#check()
    } else if (this.#data !== undefined) this.#piece(this.#data, name, attributes)
  }

  text(text: string): void {
    if (this.#isLiteral && this.#data !== undefined) this.#data.code += quoted(text)
  }

  close(name: string): void {
    if (name === 'style:style') this.#style = undefined
    else if (name === 'number:text' || name === 'number:currency-symbol') this.#isLiteral = false
    else if (/^number:(number|currency|percentage)-style$/.test(name)) this.#data = undefined
  }

  #begin(attributes: Attributes): void {
    const [name = '', family] = [attributes['style:name'], attributes['style:family']]
    this.#style = { name, family }
    if (family !== 'table-cell') return
    const [parent, data] = [attributes['style:parent-style-name'], attributes['style:data-style-name']]
    this.#styles.cells.set(name, { parent, data })
    this.#check()
  }

  #piece(data: Data, name: string, attributes: Attributes): void {
    switch (name) {
      case 'number:text':
      case 'number:currency-symbol':
        this.#isLiteral = true
        break
      case 'number:number': {
        const zeros = Math.min(30, Number(attributes['number:min-integer-digits'] ?? 0))
        const isPlain = attributes['number:grouping'] !== 'true' && !Number(attributes['number:decimal-places'] ?? 0)
        data.code += isPlain ? `#${'0'.repeat(zeros)}` : '#,##0.0'
        if (Number(attributes['number:display-factor'] ?? 1) > 1) data.code += ','
        break
      }
      case 'number:fraction':
      case 'number:scientific-number':
        data.code += '0.0'
        break
      case 'style:map': {
        const [, condition] = /^value\(\)\s*([<>=!]+\s*-?[\d.]+)$/.exec(attributes['style:condition'] ?? '') ?? []
        const style = attributes['style:apply-style-name']
        if (condition !== undefined && style !== undefined)
          data.maps.push({ condition: condition.replace('!=', '<>'), style })
        if (data.maps.length > 10) throw new OverLimit('it has too many number formats')
        break
      }
    }
  }

  #check(): void {
    const { cells, formats } = this.#styles
    if (cells.size > MOST_STYLES || formats.size > MOST_STYLES) throw new OverLimit('it has too many styles')
  }
}

const quoted = (text: string): string => [...text].map((letter) => `\\${letter}`).join('')
