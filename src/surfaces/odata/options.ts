/** Query options: which there are, their syntax, and what this service does not support. */
import type { Expression } from './filter.js'
import { readFilter } from './filter.js'
import { unsupported, wrong } from './tokens.js'

export interface Ordering {
  readonly name: string
  readonly descending: boolean
}

export interface Options {
  readonly select: readonly string[] | undefined
  readonly filter: Expression | undefined
  readonly orderby: readonly Ordering[] | undefined
  readonly top: number | undefined
  readonly skip: number
  readonly count: boolean
  readonly format: string | undefined
  readonly skiptoken: string | undefined
  readonly aliases: ReadonlyMap<string, string>
  /** The query string without the token, as it was sent: links to further pages repeat it. */
  readonly rest: string
}

const SUPPORTED = ['$select', '$filter', '$orderby', '$top', '$skip', '$count', '$format', '$skiptoken']
const OTHERS = ['$expand', '$search', '$apply', '$compute', '$deltatoken', '$id', '$levels', '$index', '$schemaversion']
const LONGEST_NUMBER = 9
const MOST_ORDERED = 10

/** Reads the query string of a URL. */
export function readOptions(query: string): Options {
  const given = new Map<string, string>()
  const rest: string[] = []
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals))
    if (given.has(name)) throw wrong(`${name.slice(0, 60)} is given twice; send it once.`)
    if (OTHERS.includes(name)) throw unsupported(`the query option ${name}`)
    if (!name.startsWith('@') && !SUPPORTED.includes(name))
      throw wrong(
        `${name.slice(0, 60)} is not a query option; there are ${SUPPORTED.filter((one) => one !== '$skiptoken').join(', ')}.`,
      )
    given.set(name, decoded(equals < 0 ? '' : pair.slice(equals + 1)))
    if (name !== '$skiptoken') rest.push(pair)
  }
  const aliases = new Map(
    [...given].filter(([name]) => name.startsWith('@')).map(([name, text]) => [name.slice(1), text]),
  )
  const read = <T>(name: string, how: (text: string) => T): T | undefined => {
    const text = given.get(name)
    return text === undefined ? undefined : how(text)
  }
  const [top, skip] = ['$top', '$skip'].map((name) => read(name, (text) => readNumber(name, text)))
  return {
    ...{ top, skip: skip ?? 0, aliases, rest: rest.join('&') },
    select: read('$select', readSelect),
    filter: read('$filter', (text) => readFilter(text, aliases)),
    orderby: read('$orderby', readOrderby),
    count: read('$count', readBoolean) ?? false,
    format: given.get('$format'),
    skiptoken: given.get('$skiptoken'),
  }
}

/** Percent-encoding, with a plus for a space as in forms: many programs write queries like forms. */
export function decoded(text: string): string {
  let found: string
  try {
    found = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw wrong('The URL has a % that is not percent-encoding of UTF-8.')
  }
  if (found.includes('\0')) throw wrong('The URL has the character NUL, which no text here has.')
  return found
}

function readNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text) || text.length > LONGEST_NUMBER)
    throw wrong(`${name} must be a whole number from 0 to ${'9'.repeat(LONGEST_NUMBER)}, not ${text.slice(0, 60)}.`)
  return Number(text)
}

function readBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw wrong(`$count must be true or false, not ${text.slice(0, 60)}.`)
  return text === 'true'
}

/** Undefined for `*`. */
function readSelect(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  for (const name of names) {
    if (name === '') throw wrong('$select has an empty name.')
    if (/[/()]/.test(name) || (name.includes('.') && name !== '*'))
      throw unsupported(`paths, types and options in $select, such as ${name.slice(0, 60)}`)
  }
  return names.includes('*') ? undefined : [...new Set(names)]
}

function readOrderby(text: string): readonly Ordering[] {
  const all = text.split(',').map((part) => {
    const [, name = '', direction = 'asc'] = /^\s*(\S+)(?:\s+(asc|desc))?\s*$/.exec(part) ?? []
    if (name === '' || /^(asc|desc)$/.test(name))
      throw wrong(`$orderby must be properties with asc or desc after them, not ${JSON.stringify(text.slice(0, 60))}.`)
    if (/[()/$@]/.test(name)) throw unsupported(`functions and paths in $orderby, such as ${name.slice(0, 60)}`)
    return { name, descending: direction === 'desc' }
  })
  if (all.length > MOST_ORDERED) throw wrong(`$orderby can have at most ${MOST_ORDERED} properties.`)
  return all
}
