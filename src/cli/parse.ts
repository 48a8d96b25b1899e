/** Reads what several commands take as text. */
import { InvalidArgumentError } from 'commander'

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `90s`, `30m`, `24h` and `7d` in seconds; undefined for anything else. */
export function durationOf(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (SECONDS[unit] as number)
}

/** Names separated by commas, each once. */
export const listOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]

/** A whole number from 1 to 999,999,999. */
export function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}
