/** Parses the values of settings and options; an error says how to write them. */
import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { argon2Cost as readCost } from '../access/secrets.js'
import { isCalendarDate } from '../calendar.js'
import { nearest } from '../nearest.js'

export const text = (value: string): string => value

export const wholeNumber =
  (least: number, most: number) =>
  (value: string): number => {
    const number = Number(value)
    if (!/^\d{1,9}$/.test(value) || number < least || number > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
    return number
  }

export const oneOf =
  (choices: readonly string[]) =>
  (value: string): string => {
    if (!choices.includes(value))
      throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}${nearest(value, choices)}.`)
    return value
  }

/** Entries separated by commas, each once. */
export const list = (value: string): string[] => [
  ...new Set(
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
]

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `90s`, `30m`, `24h` and `7d` in seconds; undefined for anything else. */
export function duration(value: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(value) ?? []
  return number === undefined ? undefined : Number(number) * (SECONDS[unit] as number)
}

const LONGEST_OVERLAP_DAYS = 90
/** How long the old secret of a rotation stays valid, in seconds. */
export function overlap(value: string): number {
  const seconds = value === '0' ? 0 : duration(value)
  if (seconds === undefined || seconds > LONGEST_OVERLAP_DAYS * 86_400)
    throw new InvalidArgumentError(`It must be 0, or like 30m, 24h or 7d, at most ${LONGEST_OVERLAP_DAYS}d.`)
  return seconds
}

/** A day, or a time before now. */
export function pastMoment(value: string): Date {
  if (isCalendarDate(value)) return new Date(value)
  const seconds = duration(value)
  if (seconds === undefined) throw new InvalidArgumentError('It must be a day like 2026-01-31, or like 30m, 12h or 7d.')
  return new Date(Math.max(0, Date.now() - seconds * 1000))
}

export function networkList(value: string): string[] {
  const entries = list(value)
  const wrong = entries.find((entry) => !isNetwork(entry))
  if (wrong !== undefined)
    throw new InvalidArgumentError(`${wrong} is neither an address such as 10.0.0.1 nor a network such as 10.0.0.0/8.`)
  return entries
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/')
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return rest.length === 0 && longest > 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest))
}

export function originList(value: string): string[] {
  const entries = list(value)
  if (entries.includes('*') && entries.length > 1)
    throw new InvalidArgumentError('* allows every origin; give it alone, or name the origins without it.')
  return entries.map((entry) => (entry === '*' ? entry : webOrigin(entry)))
}

/** Hosts without a port, such as claude.ai; `*` for all. */
export function documentHosts(value: string): string[] {
  const entries = list(value)
  if (entries.includes('*') && entries.length > 1)
    throw new InvalidArgumentError('* allows every host; give it alone, or name the hosts without it.')
  for (const entry of entries)
    if (entry !== '*' && !/^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+$/.test(entry))
      throw new InvalidArgumentError(`${entry} is not a host such as claude.ai.`)
  return entries
}

/** An origin must be written as browsers send it, because origins are compared as text. */
export function webOrigin(value: string): string {
  const { protocol, origin } = URL.canParse(value) ? new URL(value) : {}
  if ((protocol !== 'http:' && protocol !== 'https:') || value.includes('*'))
    throw new InvalidArgumentError(`${value} is not an origin such as https://reports.example.`)
  if (value !== origin) throw new InvalidArgumentError(`${value} is not an origin; write ${origin}.`)
  return value
}

export function webAddress(value: string): string {
  const { protocol } = URL.canParse(value) ? new URL(value) : {}
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new InvalidArgumentError('It must be a URL such as http://127.0.0.1:4318.')
  return value
}

export function argon2Cost(value: string): string {
  try {
    readCost(value)
    return value
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`)
  }
}
