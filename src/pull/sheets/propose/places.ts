/** Patterns for the names of files and sheets, so that next month's ones fit too. */
import { asPattern } from '../pattern.js'

export interface Place {
  readonly file: string
  readonly sheet: string
  readonly hidden?: boolean
}

export interface Where {
  readonly file: string | readonly string[]
  /** Undefined for the first sheet. */
  readonly sheet: string | readonly string[] | undefined
}

/** A pattern for names that have a beginning or an end in common; undefined if they have neither. */
export function patternFor(names: readonly string[]): string | undefined {
  const [first = '', ...rest] = names
  if (rest.length === 0) return first
  const common = (texts: readonly string[]) => {
    let length = 0
    while (length < first.length && texts.every((text) => text[length] === texts[0]?.[length])) length++
    return length
  }
  const prefix = wholeRuns(first.slice(0, common(names)), names)
  const turned = [...names].map(reversed)
  const suffix = reversed(wholeRuns((turned[0] ?? '').slice(0, common(turned)), turned))
  const shortest = Math.min(...names.map((name) => name.length))
  if (prefix.length + suffix.length > shortest) return `${prefix}*`
  return prefix === '' && suffix === '' ? undefined : `${prefix}*${suffix}`
}

const reversed = (text: string): string => [...text].reverse().join('')

/** Cuts off a last word or number that goes on in one of the names: `Sales A` of Sales Apr and Sales Aug. */
function wholeRuns(prefix: string, names: readonly string[]): string {
  const classOf = (sign = '') => (/\p{L}/u.test(sign) ? 'letter' : /\d/.test(sign) ? 'digit' : '')
  const last = classOf(prefix.at(-1))
  if (last === '' || !names.some((name) => classOf(name[prefix.length]) === last)) return prefix
  return prefix.replace(last === 'letter' ? /\p{L}+$/u : /\d+$/, '')
}

/** The fewest patterns that fit these sheets and no others. `all` has every sheet of the folder. */
export function wheresFor(own: readonly Place[], all: readonly Place[]): Where[] {
  const files = [...new Set(own.map(({ file }) => file))]
  const sheets = [...new Set(own.map(({ sheet }) => sheet))]
  const alone = files.every((file) => all.filter((one) => one.file === file).length === 1)
  const listed = (names: readonly string[]) => (names.length === 1 ? (names[0] as string) : names)
  const sheetChoices = alone
    ? [undefined]
    : sheets.length === 1
      ? [sheets[0] as string]
      : [patternFor(sheets), '*', sheets].filter((one) => one !== undefined)
  for (const file of [patternFor(files), listed(files)])
    for (const sheet of sheetChoices) {
      if (file === undefined) continue
      const where: Where = { file, sheet }
      const found = all.filter((one) => fits(where, one))
      if (found.length === own.length && found.every((one) => own.some((two) => same(one, two)))) return [where]
    }
  return files.map((file) => ({
    file,
    sheet: listed(own.filter((one) => one.file === file).map(({ sheet }) => sheet)),
  }))
}

const same = (a: Place, b: Place): boolean => a.file === b.file && a.sheet === b.sheet

/** A rule without a sheet is for files with one sheet. */
export const fits = ({ file, sheet }: Where, place: Place): boolean =>
  asPattern('file', file).test(place.file) && (sheet === undefined || asPattern('sheet', sheet).test(place.sheet))
