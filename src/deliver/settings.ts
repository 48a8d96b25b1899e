/** Reads settings from a file; an error names the wrong or unknown setting. */
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'

type Kind = 'text' | 'number' | 'flag' | 'texts' | 'object'
interface Wanted {
  readonly [name: string]: { readonly kind: Kind; readonly optional?: true }
}
type TypeOf<K extends Kind> = K extends 'text'
  ? string
  : K extends 'number'
    ? number
    : K extends 'flag'
      ? boolean
      : K extends 'texts'
        ? readonly string[]
        : Readonly<Record<string, unknown>>
export type Read<W extends Wanted> = {
  readonly [N in keyof W]: TypeOf<W[N]['kind']> | (W[N]['optional'] extends true ? undefined : never)
}

export const text = { kind: 'text' } as const
export const number = { kind: 'number' } as const
export const flag = { kind: 'flag' } as const
export const texts = { kind: 'texts' } as const
export const object = { kind: 'object' } as const
export const optional = <K extends Kind>({ kind }: { kind: K }) => ({ kind, optional: true }) as const

const EXPECTS: Record<Kind, string> = {
  text: 'a text',
  number: 'a number',
  flag: 'true or false',
  texts: 'a text or a list of texts',
  object: 'an object',
}

/** `where` is the path of the settings in the file, such as `jobs.stock.to[0].s3`. */
export function readSettings<W extends Wanted>(where: string, given: unknown, wanted: W): Read<W> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new MillbookError(`${where} must be an object with ${Object.keys(wanted).join(', ')}`)
  const found: Record<string, unknown> = {}
  for (const name of Object.keys(given))
    if (!Object.hasOwn(wanted, name))
      throw new MillbookError(
        `${where}.${name} is unknown${nearest(name, Object.keys(wanted))}; there are ${Object.keys(wanted).join(', ')}`,
      )
  for (const [name, { kind, optional }] of Object.entries(wanted)) {
    const value = (given as Record<string, unknown>)[name]
    if (value === undefined || value === null) {
      if (!optional) throw new MillbookError(`${where}.${name} is missing; it must be ${EXPECTS[kind]}`)
      continue
    }
    const read = settingOf(kind, value)
    if (read === undefined) throw new MillbookError(`${where}.${name} must be ${EXPECTS[kind]}`)
    found[name] = read
  }
  return found as Read<W>
}

function settingOf(kind: Kind, value: unknown): unknown {
  switch (kind) {
    case 'text':
      return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'flag':
      return typeof value === 'boolean' ? value : undefined
    case 'texts': {
      const list = Array.isArray(value) ? value : [value]
      return list.every((one) => typeof one === 'string') ? list : undefined
    }
    case 'object':
      return typeof value === 'object' && !Array.isArray(value) ? value : undefined
  }
}

/** Replaces `${NAME}` by the environment variable in every text, so that secrets stay out of the file. */
export function withEnvironment(
  value: unknown,
  where: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const found = env[name]
      if (found === undefined)
        throw new MillbookError(
          `${where} names the environment variable ${name}, which is not set: set it and run again`,
        )
      return found
    })
  if (Array.isArray(value)) return value.map((one, i) => withEnvironment(one, `${where}[${i}]`, env))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, withEnvironment(one, `${where}.${name}`, env)]),
    )
  return value
}
