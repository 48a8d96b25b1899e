/** Pages: the parameters that ask for one, and which one they ask for. */

import { Optional, type Param, type Params, type Values, WholeNumber } from './params.js'

export interface Page {
  /** From 1. */
  readonly number: number
  readonly size: number
}

export const LARGEST_PAGE = 5000
/** The page size of a report that is not paginated by default. */
const USUAL_PAGE = 20

/** A number in the query string arrives as text; its schema shows the number. */
const inQuery = (largest: number, description: string, example: number): Param<number | undefined> => ({
  ...WholeNumber(largest, description, example),
  schema: { type: 'integer', minimum: 1, maximum: largest, description, examples: [example] },
  required: false,
})

/** A parameter of a request that is the size of a page. */
export const PageSize = Optional(
  WholeNumber(
    LARGEST_PAGE,
    `Records on a page, at most ${LARGEST_PAGE}; as a number or as a string. \`per-page\` in the URL overrides it.`,
    USUAL_PAGE,
  ),
)

const PIN = /^\d{1,18}-\d{1,18}(-\d{4}-\d\d-\d\d)?$/
/** Names the version of the data that a walk over pages has begun with. */
const Pin: Param<string | undefined> = {
  schema: {
    type: 'string',
    pattern: PIN.source,
    description:
      'The version of the data that a walk over pages has begun with: `next` and `last` carry it. When it is gone, the answer is 410.',
    examples: ['17-1772000000000000'],
  },
  expects: 'as it stands in a link of an answer',
  read: (value) => (typeof value === 'string' && PIN.test(value) ? value : undefined),
  required: false,
  example: '17-1772000000000000',
}

/** The parameters that every report takes in its query string. */
export const pageParams = {
  page: inQuery(1_000_000_000, 'Number of the page, from 1.', 1),
  'per-page': inQuery(LARGEST_PAGE, `Records on a page, at most ${LARGEST_PAGE}.`, USUAL_PAGE),
  snapshot: Pin,
} satisfies Params

/** The page to answer with, or undefined for the whole report. */
export function pageAsked(
  report: { readonly perPage?: number; readonly perPageFrom?: string },
  values: Values<Params>,
  asked: Values<typeof pageParams>,
): Page | undefined {
  const given = asked.page ?? asked['per-page'] ?? asked.snapshot
  if (given === undefined && report.perPage === undefined) return undefined
  const size = report.perPageFrom === undefined ? undefined : (values[report.perPageFrom] as number | undefined)
  return { number: asked.page ?? 1, size: asked['per-page'] ?? size ?? report.perPage ?? USUAL_PAGE }
}
