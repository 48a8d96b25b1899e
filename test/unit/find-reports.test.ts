/** Assistants find the right report for a question in users' words. */
import { expect, it } from 'vitest'
import { reports } from '../../src/reports/index.js'
import { ranked } from '../../src/surfaces/mcp/find.js'
import { questions } from '../setup/questions.js'

/** The place of the first right report, from 1. */
const placeOf = (question: string, right: readonly string[]): number => {
  const found = ranked(question, reports, []).reports.map(({ report }): string => report.id)
  const places = right.map((id) => found.indexOf(id)).filter((place) => place >= 0)
  return places.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...places) + 1
}

it('the questions name reports that exist', () => {
  const ids = reports.map(({ id }): string => id)
  for (const [, ...right] of questions) for (const id of right) expect(ids).toContain(id)
})

it('every report declares the words in which users ask for it', () => {
  for (const { id, askedAs = [] } of reports) expect(askedAs.length, id).toBeGreaterThan(1)
})

it('the right report is among the first three for 95 of 100 questions', () => {
  const missed = questions.filter(([question, ...right]) => placeOf(question, right) > 3)
  expect(missed.length / questions.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(0.05)
})

it('every report is the first for each phrase in which users ask for it, or among the first three', () => {
  for (const { id, askedAs = [] } of reports)
    for (const phrase of askedAs) expect(placeOf(phrase, [id]), `${id}: ${phrase}`).toBeLessThan(4)
})
