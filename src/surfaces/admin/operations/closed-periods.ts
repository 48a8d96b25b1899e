/** Closing periods and reopening them. The report history.closed-periods lists them. */
import { closePeriod, closingJson, LONGEST_REASON, PERIOD_FIGURES, reopenPeriod } from '../../../closed/close.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { ref, text } from '../../openapi.js'
import { Optional, Text, Whole } from '../fields.js'
import { all, count, operation, time } from '../operation.js'

const version = count('The version of the data with which the period was closed.')

export const closedPeriods = [
  operation({
    method: 'POST',
    path: '/closed-periods',
    id: 'adminClosePeriod',
    summary: 'Close a period',
    description: `Notes the version of the data with which a period was reported, and its figures at that version. The period must have passed. Such a
version is never forgotten, and loads that change the figures warn. A closed period must be reopened before it can be closed again.`,
    body: {
      period: Text(22, 'A month, `2026-10`, or a range of days, `2026-04-01..2026-09-30`.', '2026-10'),
      reason: Text(LONGEST_REASON, 'Why, for the audit trail.', 'Reported to the bank'),
      as_known: Optional(
        Whole(1, Number.MAX_SAFE_INTEGER, 'The version with which it was reported; the present one by default.', 17),
      ),
    },
    result: ref('AdminClosing'),
    run: async ({ services: { database }, body: { as_known: asKnown, ...given }, by, change }) =>
      closingJson(await closePeriod(database, change, { ...given, asKnown }, by)),
  }),
  operation({
    method: 'POST',
    path: '/closed-periods/:period/reopen',
    id: 'adminReopenPeriod',
    summary: 'Reopen a closed period',
    body: { reason: Text(LONGEST_REASON, 'Why, for the audit trail.', 'A corrected invoice came') },
    result: all({ period: text('The period.'), version }),
    run: ({ params: { period = '' }, body: { reason }, by, change }) => reopenPeriod(change, { period, reason }, by),
  }),
]

const meanings: Record<(typeof PERIOD_FIGURES)[number], string> = {
  stock_value: 'Value of all stock at the end of the last day, without tax.',
  sales: 'Invoices less credit notes, before tax, without cancelled ones.',
  margin: 'Profit by invoices, without tax.',
  purchases: 'Accepted receipts, before tax.',
}

export const closedPeriodSchemas: Record<string, JsonSchema> = {
  AdminClosing: all({
    ...{ period: text('The period: a month where it is one, else a range of days.'), version },
    ...{ closed_at: time('When.'), closed_by: text('Who closed it.'), reason: text('Why.') },
    ...Object.fromEntries(PERIOD_FIGURES.map((name) => [name, text(meanings[name])])),
  }),
}
