/** Pages: the query parameters that request one, and the page they select. */
import { Optional, type Param, type Params, type Values, WholeNumber, type Wire } from './params.js'

export interface Page {
  /** From 1. */
  readonly number: number
  readonly size: number
}

export const LARGEST_PAGE = 5000
const LARGEST_NUMBER = 1_000_000_000
/** The page size of a report that is not paginated by default. */
const DEFAULT_PAGE = 20

const inQuery = (largest: number, description: string, example: number): Param<number | undefined> => ({
  ...WholeNumber('number', largest, description, example),
  required: false,
})

/** A report's own parameter for the page size, for which the contract has no maximum. */
export const PageSize = (wire: Wire): Param<number | undefined> =>
  Optional(
    WholeNumber(
      wire,
      LARGEST_NUMBER,
      'Records on a page; as a number or as a string. `per-page` in the URL overrides it.',
      DEFAULT_PAGE,
    ),
  )

const PIN = /^\d{1,18}-\d{1,18}(-\d{4}-\d\d-\d\d)?$/
/** Pins a walk over pages to the version of the data of its first page. */
const Pin: Param<string | undefined> = {
  type: { kind: 'text', longest: 48 },
  description:
    'The version of the data that the pages come from. The links `next` and `last` carry it; leave it out for the first page. The response is 410 if the service no longer keeps this version.',
  expects: 'the value from a link in a response',
  read: (value) => (typeof value === 'string' && PIN.test(value) ? value : undefined),
  required: false,
}

/** Query parameters of every report. */
export const pageParams = {
  page: inQuery(LARGEST_NUMBER, 'Number of the page, from 1.', 1),
  'per-page': inQuery(LARGEST_PAGE, `Records on a page, at most ${LARGEST_PAGE}.`, DEFAULT_PAGE),
  snapshot: Pin,
} satisfies Params

/** The requested page, or undefined for the whole report. With `wholeByDefault`, `report.perPage` does not count. */
export function requestedPage(
  report: { readonly perPage?: number; readonly perPageFrom?: string },
  values: Values<Params>,
  query: Values<typeof pageParams>,
  wholeByDefault = false,
): Page | undefined {
  const size = report.perPageFrom === undefined ? undefined : (values[report.perPageFrom] as number | undefined)
  const given = query.page ?? query['per-page'] ?? query.snapshot ?? (wholeByDefault ? size : undefined)
  if (given === undefined && (report.perPage === undefined || wholeByDefault)) return undefined
  return { number: query.page ?? 1, size: query['per-page'] ?? size ?? report.perPage ?? DEFAULT_PAGE }
}
