/** The parameter by which a caller asks for a report as an earlier version of the data knew it. */
import { isCalendarDate } from '../../calendar.js'
import type { Param } from './params.js'

/** A version, or the last one of a day or before a moment. */
export type AsKnown = { readonly version: number } | { readonly day: string } | { readonly moment: string }

const VERSION = /^\d{1,9}$/
const MOMENT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/

/** Undefined if the text is none of the three. */
export function readAsKnown(text: string): AsKnown | undefined {
  if (VERSION.test(text)) return { version: Number(text) }
  if (isCalendarDate(text)) return { day: text }
  const [moment, day] = MOMENT.exec(text) ?? []
  return moment !== undefined && isCalendarDate(day as string) ? { moment } : undefined
}

/** In a query string, a plus that is not written as %2B arrives as a space. */
const withPlus = (text: string) => text.replace(/ (?=\d{2}:\d{2}$)/, '+')

const versionParam = (description: string): Param<string | undefined> => ({
  type: { kind: 'text', longest: 40 },
  description,
  expects:
    'a version such as 12, a day such as 2026-10-31, or a moment with its offset such as 2026-10-31T18:00:00+05:30',
  read(value) {
    const text = typeof value === 'number' ? String(value) : value
    if (typeof text !== 'string' || text.length > 40) return undefined
    return readAsKnown(withPlus(text)) === undefined ? undefined : withPlus(text)
  },
  required: false,
  blankIsAbsent: true,
})

export const asKnownParam = versionParam(
  'The report as it was known earlier: before later loads changed, removed or added anything. A version of the data (`X-Data-Version`), a day (`2026-10-31`: what was known at its end in the time zone of the account), or a moment (`2026-10-31T18:00:00+05:30`). A report that depends on today is then of that day, or of the day on which that version was loaded. 410 if the version is no longer kept.',
)

export const againstParam = versionParam(
  'What differs from the report as it was known earlier: a version, a day or a moment, as in `as_known`. The response has one record for each record that is new, gone or changed, found by its key: `{"change":"changed","key":{…},"fields":{"Closing_qty":{"before":"8.0000","after":"7.0000"}}}`. The other formats have a table with a row for each changed field. With `as_known`, that version is compared with the earlier one. With `totals=yes`, each sum is there as `…__before`, `…__after` and `…__difference`.',
)
