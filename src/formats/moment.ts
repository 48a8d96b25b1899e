/** Reads the dates and times of records. */

export const DAY_MS = 86_400_000

const MOMENT = /^(\d{4}-\d\d-\d\d)(?: (\d\d):(\d\d:\d\d)(AM|PM)?)?$/

/**
 * Milliseconds since 1970 of a date, or of a local time of the account taken as UTC; undefined for any other text, such as a
 * marker.
 */
export function momentOf(text: string): number | undefined {
  const [, day, hour, rest, half] = MOMENT.exec(text) ?? []
  if (day === undefined) return undefined
  if (hour === undefined) return Date.parse(day)
  const hours = half === undefined ? hour : String((Number(hour) % 12) + (half === 'PM' ? 12 : 0)).padStart(2, '0')
  return Date.parse(`${day}T${hours}:${rest}Z`)
}
