/** Closed periods: the figures with which each was reported, and what they are now. */
import { raw, sql } from '../../db/sql.js'
import { groups } from '../../groups.js'
import { Amount, ClockTime24, Integer, NotAdditive, type Scalar, Text } from '../../kernel/report/fields.js'
import { defineReport } from '../../kernel/report/report.js'
import { closedWithFigures, PERIOD_FIGURES, type PeriodFigure } from '../../ledger/period-figures.js'

type Field = Scalar<string>

/** A figure as it was reported, as it is, and how much that is more. */
const figure = <N extends PeriodFigure>(name: N, of: (description: string) => Field, meaning: string) =>
  ({
    [`${name}_then`]: of(`${meaning}, with which the period was closed.`),
    [`${name}_now`]: of(`${meaning}, as it is now.`),
    [`${name}_difference`]: of(`\`${name}_now\` − \`${name}_then\`.`),
  }) as Record<`${N}_${'then' | 'now' | 'difference'}`, Field>

const columns = raw(
  PERIOD_FIGURES.map(
    (name) => `c.${name} as ${name}_then, f.${name} as ${name}_now, f.${name} - c.${name} as ${name}_difference`,
  ).join(),
)

export default defineReport({
  id: 'history.closed-periods',
  method: 'POST',
  path: '/v1/history/closed-periods',
  title: 'Closed periods',
  summary: 'The figures with which periods were closed, and what they are now',
  askedAs: [
    'closed months and periods: figures when closed and now',
    'did anything change in a closed month',
    'period close, is a closed period still the same',
  ],
  description: `One record per closed period, ordered by \`period\`. \`millbook close\` closes a period with a version of the data: \`_then\` is a figure as
known at that version, \`_now\` what it is today, and \`_difference\` is \`_now\` − \`_then\`. Ask any report with \`as_known\` = \`version\` to see the period as it
was reported, and with \`against\` = \`version\` to see what changed since.

All figures are without tax. \`stock_value\` is the value of all stock at the end of the last day (stock value by month). The others are of the days
of the period: \`sales\` are invoices less credit notes (invoices), \`margin\` is the profit by invoices (sales and margin by day), and \`purchases\` are
accepted receipts (goods receipts). A day counts in every closed period that has it.

With \`as_known\`, the records are the periods that were closed while that version was the present one, and \`_now\` is what their figures were then.`,
  request: {},
  needs: () => groups.filter((group) => group !== 'history'),
  record: {
    period: Text('A month, `2026-10`, or a range of days, `2026-04-01..2026-09-30`.'),
    version: Integer('The version of the data with which the period was closed.'),
    closed_at: ClockTime24('When it was closed, in the time zone of the account.'),
    closed_by: Text('Who closed it.'),
    reason: Text('Why.'),
    ...figure(
      'stock_value',
      (text) => NotAdditive(Amount(4, text)),
      'Value of all stock at the end of the last day, without tax',
    ),
    ...figure('sales', (text) => Amount(2, text), 'Invoices less credit notes, before tax, without cancelled ones'),
    ...figure('margin', (text) => Amount(4, text), 'Profit by invoices, without tax'),
    ...figure('purchases', (text) => Amount(2, text), 'Accepted receipts, before tax'),
  },
  people: ['period', ...PERIOD_FIGURES.flatMap((name) => [`${name}_now`, `${name}_difference`]), 'version'],
  orderBy: ['period'],
  query: () => sql`
    select c.period, c.version, c.closed_at at time zone a.time_zone as closed_at, c.closed_by, c.reason, ${columns}
      from ${closedWithFigures} cross join account a
     where c.reopened_in is null`,
})
