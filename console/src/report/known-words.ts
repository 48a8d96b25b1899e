/** The words for an earlier version of the data, which a URL names by its number, a day or a moment. */
import { isCalendarDate } from '../../../src/calendar.js'
import type { View } from '../ask.js'
import { clock, inWords } from '../dates.js'
import { loadOf } from '../loads.js'
import { isolated } from '../people.js'

const VERSION = /^\d{1,9}$/

/** The number of the version, if the text is one. */
export const versionIn = (text: string | undefined): number | undefined =>
  text !== undefined && VERSION.test(text) ? Number(text) : undefined

/** `load 12 (31 Oct 2026, 18:02 IST)`, `the end of 31 Oct 2026`, `31 Oct 2026, 18:00 IST`. */
export function momentInWords(text: string): string {
  const version = versionIn(text)
  if (version !== undefined) return loadInWords(version)
  return isCalendarDate(text) ? `the end of ${inWords(text)}` : isolated(clock(text))
}

export function loadInWords(version: number): string {
  const load = loadOf(version)
  return load === undefined ? `load ${version}` : `load ${version} (${clock(load.loaded_at)})`
}

/** For a chip: `load 12`, `31 Oct 2026`. */
export function momentInShort(text: string): string {
  const version = versionIn(text)
  if (version !== undefined) return `load ${version}`
  return isCalendarDate(text) ? inWords(text) : isolated(clock(text))
}

/** "As known after load 12 (…)", with the load that a day or a moment means. */
export function knownInWords(text: string, version?: number): string {
  const [is, words] = [versionIn(text), momentInWords(text)]
  if (is !== undefined) return `As known after ${words}`
  const load = version === undefined ? '' : `, after ${loadInWords(version)}`
  return `As known ${isCalendarDate(text) ? 'at' : 'on'} ${words}${load}`
}

/** "What changed since load 12 (…), up to now" */
export function changesInWords({ against = '', as_known }: Pick<View, 'against' | 'as_known'>): string {
  return `What changed since ${momentInWords(against)}, up to ${as_known ? momentInWords(as_known) : 'now'}`
}

/** The view as of another version, and nothing else of it. */
export const pastOf = ({ as_known, against }: View): Pick<View, 'as_known' | 'against'> => ({ as_known, against })
