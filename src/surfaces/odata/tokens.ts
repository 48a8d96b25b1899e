/** The tokens of OData expressions, and the problems of requests that do not fit the protocol. */
import { isCalendarDate } from '../../calendar.js'
import { Problem } from '../../errors.js'

/** A value in a URL, by its type in the protocol. `other` is a value of a type that no property of this service has. */
export type LiteralKind = 'null' | 'boolean' | 'string' | 'number' | 'date' | 'moment' | 'time' | 'other'

export interface Literal {
  readonly kind: 'literal'
  readonly type: LiteralKind
  /** As the database reads it: a string without its quotes, a moment with its offset. */
  readonly text: string
}

type Mark = '(' | ')' | ',' | '/' | '=' | '@' | ':' | '$' | '-' | '.'
export type Token =
  | (Literal & { readonly at: number; readonly end: number })
  | { readonly kind: 'name'; readonly text: string; readonly at: number; readonly end: number }
  | { readonly kind: 'mark'; readonly text: Mark; readonly at: number; readonly end: number }

/** 400: the text does not follow the grammar, or names what does not exist. */
export const wrong = (detail: string): Problem => new Problem('malformed-request', { detail })

/** 501: the text follows the grammar of OData, and asks for what this service cannot do. */
export const unsupported = (what: string): Problem =>
  new Problem('not-implemented', {
    detail: `This service does not support ${what}; leave it to the program that reads, or use a saved view.`,
  })

const STRING = /'(?:[^']|'')*'/y
const GUID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\w-])/iy
/** A plus in the offset may have become a space, as in forms. */
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:Z|[+\- ]\d\d:\d\d)/iy
const DATE = /\d{4}-\d\d-\d\d(?![\w-])/y
const TIME = /\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?/y
const NUMBER = /[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/iy
const NAME = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*/uy
const MARKS = new Set<string>(['(', ')', ',', '/', '=', '@', ':', '$', '-', '.'])
/** Types whose values have a prefix: `duration'PT1H'`. */
const PREFIXED = /^(?:duration|binary|geography|geometry)$/i

/** Reads a text into tokens; spaces between them are lost, but every token knows its place. */
export function tokensOf(text: string, what: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const literal = (type: LiteralKind, source: string, value = source) => {
    tokens.push({ kind: 'literal', type, text: value, at, end: at + source.length })
    at += source.length
  }
  while (at < text.length) {
    const char = text[at] as string
    if (char === ' ' || char === '\t') {
      at++
      continue
    }
    const string = take(STRING)
    if (string !== undefined) {
      literal('string', string, string.slice(1, -1).replaceAll("''", "'"))
      continue
    }
    if (char === "'") throw wrong(`${what} has a text without its second quote at character ${at + 1}.`)
    const guid = take(GUID)
    if (guid !== undefined) {
      literal('other', guid)
      continue
    }
    const moment = take(MOMENT)
    if (moment !== undefined) {
      literal('moment', moment, momentOf(moment, what))
      continue
    }
    const date = take(DATE)
    if (date !== undefined) {
      if (!isCalendarDate(date)) throw wrong(`${what} has ${date}, which is no day of the calendar.`)
      literal('date', date)
      continue
    }
    const time = take(TIME)
    if (time !== undefined) {
      literal('time', time, timeOf(time, what))
      continue
    }
    const number = take(NUMBER)
    if (number !== undefined) {
      if (!/^[+-]?\d{1,40}(\.\d{1,20})?(e[+-]?\d{1,2})?$/i.test(number))
        throw wrong(`${what} has the number ${number.slice(0, 60)}, which has too many digits.`)
      literal('number', number)
      continue
    }
    const name = take(NAME)
    if (name !== undefined) {
      at += name.length
      const quoted = take(STRING)
      at -= name.length
      if (quoted !== undefined && PREFIXED.test(name)) {
        literal('other', name + quoted)
        continue
      }
      if (name === 'true' || name === 'false') literal('boolean', name)
      else if (name === 'null') literal('null', name)
      else if (name === 'NaN' || name === 'INF') literal('other', name)
      else {
        tokens.push({ kind: 'name', text: name, at, end: at + name.length })
        at += name.length
      }
      continue
    }
    if (char === '[' || char === '{') throw unsupported(`lists and objects in ${what}`)
    if (!MARKS.has(char))
      throw wrong(`${what} has ${JSON.stringify(char)} at character ${at + 1}, which means nothing.`)
    tokens.push({ kind: 'mark', text: char as Mark, at, end: at + 1 })
    at++
  }
  return tokens
}

function timeOf(text: string, what: string): string {
  const [, hour = '', minute = '', second = '00', fraction = ''] =
    /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?/.exec(text) ?? []
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    throw wrong(`${what} has ${text}, which is no time of a day.`)
  const exact = fraction.slice(0, 6).replace(/0+$/, '')
  return `${hour}:${minute}:${second}${exact && `.${exact}`}`
}

function momentOf(text: string, what: string): string {
  const [, day = '', time = '', zone = ''] = /^(.{10})T(.*?)(Z|[+\- ]\d\d:\d\d)$/i.exec(text) ?? []
  if (!isCalendarDate(day)) throw wrong(`${what} has ${text}, whose day is not in the calendar.`)
  const offset = zone.replace(' ', '+')
  const [, hours = '0', minutes = '0'] = /(\d\d):(\d\d)/.exec(offset) ?? []
  if (Number(hours) * 60 + Number(minutes) > 14 * 60 || Number(minutes) > 59)
    throw wrong(`${what} has ${text}, whose offset from UTC is not one of a time zone.`)
  return `${day}T${timeOf(time, what)}${offset.toUpperCase()}`
}
