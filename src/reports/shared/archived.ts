/** Parameter errors of requests that need archived movements. */
import type { FieldError } from '../../errors.js'

/** The day before the first one of the ledger: its stock is known. */
export const dayBefore = (begins: string): string =>
  new Date(Date.parse(`${begins}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

/** An error of a parameter that is a day before `first`. */
export const notBefore = (field: string, day: string, first: string): FieldError | undefined =>
  day < first ? { field, message: `must be ${first} or later, not ${day}: older movements are archived` } : undefined

/** For a report about the stock at the beginning of a range, and about what moved in it. */
export const archivedRange = ({ from_date }: { from_date: string }, begins: string): FieldError | undefined =>
  notBefore('from_date', from_date, begins)
