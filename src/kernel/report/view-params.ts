/** The query parameters by which a caller chooses a view of a report. */
import { FUNCTIONS } from './group.js'
import { OneOf, Optional, type Param, type Params } from './params.js'
import { PERIODS } from './periods.js'
import { COMPARISONS } from './ranges.js'
import { ROWS } from './totals.js'

export const MOST_SORTED = 5
export const MOST_WORDS = 10
const MOST_FILTERS = 20
const LONGEST = 500
const LONGEST_SEARCH = 200
const LONGEST_FIELDS = 3000

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest && !value.includes('\0')

const viewText = (longest: number, description: string): Param<string | undefined> =>
  Optional({
    type: { kind: 'text', longest },
    description,
    expects: `text of at most ${longest} characters`,
    read: (value) => (isText(value, longest) ? value : undefined),
    required: false,
  })

const conditions = (description: string): Param<readonly string[] | undefined> =>
  Optional({
    type: { kind: 'texts', longest: LONGEST, most: MOST_FILTERS },
    description,
    expects: `at most ${MOST_FILTERS} conditions of at most ${LONGEST} characters`,
    read: (value) => {
      const all: unknown[] = Array.isArray(value) ? value : [value]
      const given = all.filter((one) => isText(one, LONGEST))
      return given.length === all.length && all.length <= MOST_FILTERS ? given.filter(Boolean) : undefined
    },
    required: false,
  })

/** Query parameters of every report. */
export const viewParams = {
  fields: viewText(
    LONGEST_FIELDS,
    'The fields of the records: `contract` for the fields of the contract, `all` for every field of the report, or names separated by commas, in the order in which the records should have them: `invoice_no,customer_name,total_amt`. Write `billing.city` for a field of an object; a list of lines comes whole. JSON has `contract` by default, files have `all`.',
  ),
  sort: viewText(
    LONGEST,
    `Up to ${MOST_SORTED} fields to sort by, separated by commas; a minus before a field sorts descending: \`-Closing_qty,product_name\`. Write \`billing.city\` for a field of an object. Records without a value come last.`,
  ),
  filter: conditions(
    `Only records that meet this condition: a field, an operator and a value, such as \`Closing_qty<0\`. May be sent up to ${MOST_FILTERS} times; records must meet all conditions. The operators are \`=\`, \`!=\`, \`<\`, \`<=\`, \`>\`, \`>=\`, \`~\` (contains, ignoring case) and \`!~\`. \`|\` separates alternatives: \`warehouse=Pune|Mumbai\`; write \`\\|\` for a bar and \`\\\\\` for a backslash. \`=\` without a value finds empty and absent values. \`@\` before the name of a field compares numbers and dates with that field: \`inStockQuantity<@reorder_level\`.`,
  ),
  search: viewText(
    LONGEST_SEARCH,
    `Only records that contain each of these words, at most ${MOST_WORDS}, ignoring case, in a text, a word, a date or a time. Lines are not searched.`,
  ),
  totals: Optional(
    OneOf(
      ['no', 'yes'],
      '`yes` returns one record in place of all: their number, `rows`, and the exact sums of the fields that can be added up. Its schema is named `…TotalsRecord`.',
    ),
  ),
  group: viewText(
    LONGEST,
    `One record for each combination of the values of these fields, separated by commas, with the number of its records, \`${ROWS}\`, and sums: \`customer_name,month(invoice_date)\`. ${PERIODS.map((name) => `\`${name}\``).join(', ')} (the financial year) of a date gives a column such as \`invoice_date_month\` with \`2026-04\`. Where quantities are summed, their unit is a group too. Cancelled documents count only if \`group\` or \`filter\` names their state. \`filter\` and \`search\` choose records before they are grouped, \`having\` chooses groups.`,
  ),
  measures: viewText(
    LONGEST_FIELDS,
    `The figures of each group, separated by commas: \`sum(total_amt),avg(rate),max(invoice_date)\` gives the columns \`total_amt\`, \`rate_avg\` and \`invoice_date_max\`. The functions are ${FUNCTIONS.join(', ')}. By default the sum of every field that can be added up.`,
  ),
  having: conditions(
    'Only groups that meet this condition, or, with `compare`, only records that do: `total_amt>100000`, `total_amt__change<0`. It is written like `filter`, and may be sent several times.',
  ),
  compare: Optional(
    OneOf(
      COMPARISONS,
      'Each number beside its value in an earlier period, as `total_amt`, `total_amt__before` and `total_amt__change`. `previous` takes the same number of days before the range, or of whole months if the range has whole months; `month`, `quarter` and `year` take the same days a month, a quarter or a year before. Records or groups that only one of both has are there with 0 in the other; months and other periods are matched by their place in the range. Lists of lines are left out. Only for reports with `from_date` and `to_date`.',
    ),
  ),
} satisfies Params
