/** What a number format of a spreadsheet adds to a number: that it is a date or a percentage, and words such as its unit. */

export interface NumberFormat {
  readonly kind: 'number' | 'percent' | 'date' | 'duration'
  readonly sections: readonly Section[]
}

interface Section {
  /** `[>=100000]`: the numbers that the section is for. */
  readonly condition: ((number: number) => boolean) | undefined
  readonly before: string
  readonly after: string
  /** 0000 shows 12 as 0012; undefined for a format that shows other numbers than whole ones. */
  readonly zeros: number | undefined
  /** Shown in thousands or millions. */
  readonly isScaled: boolean
}

const PIECES = /"([^"]*)"?|\\(.)|[_*].|\[\$([^\]-]*)[^\]]*\]|\[([^\]]*)\]|General|(.)/giu

export function readNumberFormat(code: string): NumberFormat {
  const sections = sectionsOf(code)
  const bare = (sections[0] ?? '').replace(/"[^"]*"?|\\.|[_*]./g, '')
  const kind = /\[(h+|m+|s+)\]/i.test(bare)
    ? 'duration'
    : /[ymdhs]/i.test(bare.replace(/\[[^\]]*\]|General/gi, ''))
      ? 'date'
      : bare.replace(/\[[^\]]*\]/g, '').includes('%')
        ? 'percent'
        : 'number'
  return { kind, sections: kind === 'number' ? sections.map(readSection) : [] }
}

/** A semicolon in quotes is no separator. */
function sectionsOf(code: string): string[] {
  const sections = ['']
  for (const [piece] of code.matchAll(/"[^"]*"?|\\.|\[[^\]]*\]|./gsu))
    if (piece === ';') sections.push('')
    else sections[sections.length - 1] += piece
  return sections
}

function readSection(code: string): Section {
  let [before, digits, after] = ['', '', '']
  let condition: Section['condition']
  for (const [piece, quoted, escaped, currency, bracket, other] of code.matchAll(PIECES)) {
    const literal = quoted ?? escaped ?? currency
    if (literal !== undefined) {
      if (digits === '') before += literal
      else after += literal
    } else if (bracket !== undefined) condition = conditionOf(bracket) ?? condition
    else if (/^general$/i.test(piece)) digits += '#'
    else if (other !== undefined && /[0#?.,/E@]/i.test(other)) {
      // Words between digits, such as the commas of India, belong to the digits.
      if (/[0#?]/.test(other)) {
        digits += after
        after = ''
      }
      digits += other
    } else if (other !== undefined) {
      if (digits === '') before += other
      else after += other
    }
  }
  const plain = /^#*(0*)$/.exec(digits)
  return {
    ...{ condition, before, after },
    zeros: plain === null ? undefined : Math.max(1, plain[1]?.length ?? 0),
    isScaled: /[0#?],+(\.|$)/.test(digits),
  }
}

function conditionOf(bracket: string): Section['condition'] {
  const [, sign, limit] = /^(<=|>=|<>|<|>|=)\s*(-?[\d.]+)$/.exec(bracket) ?? []
  const by = Number(limit)
  switch (sign) {
    case '<':
      return (number) => number < by
    case '<=':
      return (number) => number <= by
    case '>':
      return (number) => number > by
    case '>=':
      return (number) => number >= by
    case '=':
      return (number) => number === by
    case '<>':
      return (number) => number !== by
    default:
      return undefined
  }
}

/** The words that a sheet shows with a number. */
export interface Shown {
  readonly before: string
  readonly after: string
  readonly zeros: number | undefined
  readonly isScaled: boolean
}

/** Undefined if the sheet shows the number without words. */
export function wordsFor({ sections }: NumberFormat, number: number): Shown | undefined {
  const [first, second, third] = sections
  if (first === undefined) return undefined
  const isConditional = sections.some(({ condition }) => condition !== undefined)
  const section = isConditional
    ? (sections.find(({ condition }) => condition === undefined || condition(number)) ?? first)
    : ((number < 0 ? second : number === 0 ? third : first) ?? first)
  // Brackets and signs show that the number is negative, which the number itself says too.
  const bare = (words: string) => (number < 0 ? words.replace(/[()+\-−–]/g, '') : words)
  const [before, after] = [bare(section.before), bare(section.after)]
  const { zeros, isScaled } = section
  return before.trim() === '' && after.trim() === '' && (zeros ?? 1) <= 1
    ? undefined
    : { before, after, zeros, isScaled }
}

/** The formats without a code in the file (ECMA-376, 18.8.30); those of currencies differ by country and have no words here. */
export function builtInFormat(id: number): string {
  if (id === 9 || id === 10) return '0%'
  if (id === 46) return '[h]:mm:ss'
  const isDate = (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58 && id !== 48 && id !== 49)
  return isDate ? 'yyyy-mm-dd' : 'General'
}
