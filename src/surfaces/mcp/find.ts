/** Ranks reports and saved views by the words of a question. Every report declares the words in which users ask for it. */
import { columnsOf } from '../../kernel/report/columns.js'
import { reportNamed } from '../../kernel/report/names.js'
import type { Report } from '../../kernel/report/report.js'
import type { NamedView } from './source.js'

export interface Ranked {
  readonly reports: readonly { readonly report: Report; readonly why: readonly string[] }[]
  readonly views: readonly { readonly view: NamedView; readonly why: readonly string[] }[]
}

/** Words that say nothing about the subject. */
const STOP = new Set(
  (
    'a about all also am an and any are as at be been but by can could did do does each else for from get give had has have how i if in ' +
    'into is it its just let list many me much my need no not of on or our out please should show so some tell than that the their them then ' +
    'there these they this those to today too up us was we were what when where which who whom whose why will with would you your now right per'
  ).split(' '),
)

/** The weight of a word, by where the report has it. */
const WEIGHTS = { asked: 3, title: 3, summary: 2, id: 2, fields: 0.7, description: 0.6 } as const

interface Indexed {
  readonly report: Report
  /** The weight of each of its words. */
  readonly words: ReadonlyMap<string, number>
  /** The words of each phrase in which users ask for it. */
  readonly phrases: readonly ReadonlySet<string>[]
}

interface Index {
  readonly all: readonly Indexed[]
  /** How rare a word is. */
  readonly rarity: ReadonlyMap<string, number>
}

const indexes = new WeakMap<readonly Report[], Index>()

export function ranked(question: string, reports: readonly Report[], views: readonly NamedView[]): Ranked {
  const index = indexes.get(reports) ?? indexOf(reports)
  indexes.set(reports, index)
  const terms = known([...new Set(wordsIn(question))], index)
  const scored = index.all
    .map((one) => ({ ...one, ...score(terms, one, index) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
  const named = views
    .map((view) => ({ view, why: whyNamed(question, view), place: placeOf(view, scored) }))
    .filter(({ why }) => why.length > 0)
    .sort((a, b) => b.why.length - a.why.length || a.place - b.place)
  return { reports: scored, views: named }
}

/** The words of a question that the name of a view has. */
function whyNamed(question: string, { definition }: NamedView): string[] {
  const asked = new Set(wordsIn(question))
  return [...new Set(wordsIn(definition.name))].filter((word) => asked.has(word))
}

function placeOf({ definition }: NamedView, scored: readonly Indexed[]): number {
  const report = reportNamed(
    definition.report,
    scored.map((one) => one.report),
  )
  const place = scored.findIndex((one) => one.report === report)
  return place < 0 ? scored.length : place
}

/** The words that an index knows; for a word that it does not know, those that begin alike. */
function known(terms: readonly string[], { rarity }: Index): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const term of terms) {
    if (rarity.has(term)) found.set(term, 1)
    else if (term.length >= 5)
      for (const other of rarity.keys())
        if (other.length >= 5 && other.slice(0, 5) === term.slice(0, 5) && !found.has(other)) found.set(other, 0.5)
  }
  return found
}

function score(terms: ReadonlyMap<string, number>, { words, phrases }: Indexed, { rarity }: Index) {
  const worth = (word: string) => (terms.get(word) ?? 0) * (rarity.get(word) ?? 0)
  const why = [...terms.keys()].filter((word) => words.has(word))
  const single = why.reduce((sum, word) => {
    const weight = words.get(word) as number
    return sum + worth(word) * (weight / (weight + 2))
  }, 0)
  // Words that users say together count more than the same words in several places.
  const together = phrases.map((phrase) => [...phrase].filter((word) => terms.has(word)))
  const best = Math.max(0, ...together.map((found) => found.reduce((sum, word) => sum + worth(word), 0)))
  return { points: single + best, why }
}

function indexOf(reports: readonly Report[]): Index {
  const all = reports.map((report): Indexed => {
    const words = new Map<string, number>()
    const add = (text: string, weight: number) => {
      for (const word of new Set(wordsIn(text))) words.set(word, (words.get(word) ?? 0) + weight)
    }
    const { askedAs = [], title, summary, id, description, shapes } = report
    for (const phrase of askedAs) add(phrase, WEIGHTS.asked)
    add(title, WEIGHTS.title)
    add(summary, WEIGHTS.summary)
    add(id, WEIGHTS.id)
    add(description, WEIGHTS.description)
    const columns = [...shapes.values()].flatMap((shape) => columnsOf(shape))
    add(columns.map(({ name, description }) => `${name} ${description}`).join(' '), WEIGHTS.fields)
    return { report, words, phrases: askedAs.map((phrase) => new Set(wordsIn(phrase))) }
  })
  const count = new Map<string, number>()
  for (const { words } of all) for (const word of words.keys()) count.set(word, (count.get(word) ?? 0) + 1)
  const rarity = new Map([...count].map(([word, n]) => [word, Math.log(1 + all.length / n)]))
  return { all, rarity }
}

/** Periods, which say nothing about the subject; `by month` does. */
const PERIOD =
  /\b(?:(?:last|this|next|past|previous) (?:\d+ )?(?:days?|weeks?|months?|quarters?|years?)|(?:in|of|since|until) (?:january|february|march|april|may|june|july|august|september|october|november|december))\b/g

/** The stems of the words that say something. */
export const wordsIn = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(PERIOD, ' ')
    .replace(/([a-z])'s\b/g, '$1')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !STOP.has(word))
    .map(stemOf)

/** `batches`, `batch` → `batch`; `deliveries`, `delivery` → `deliver`; `dispatched` → `dispatch`. */
function stemOf(word: string): string {
  if (word.length <= 3) return word
  const single = word
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|x|ss)es$/, '$1')
    .replace(/([^s])s$/, '$1')
  const base = single
    .replace(/(?<=.{3})(ing|ed)$/, '')
    .replace(/(.)\1$/, (double) => (/(ll|ss)/.test(double) ? double : (double[0] as string)))
  return base.replace(/(?<=.{3})[ey]$/, '')
}
