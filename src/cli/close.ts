/** `millbook close`: notes with which version of the data a period was reported. */
import type { Command } from 'commander'
import { closePeriod, closingJson, readPeriod } from '../closed/close.js'
import { retryDeadlocks } from '../db/retry.js'
import { PERIOD_FIGURES } from '../ledger/period-figures.js'
import { wholeNumber } from '../runtime/parse.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { withDatabase } from './database.js'
import { printFacts, timeOf } from './print.js'

interface Options extends Json {
  reason: string
  asKnown?: number
}

export const closeCommand = (): Command =>
  withExamples(
    databaseCommand('close', 'close a period: note the version of the data with which it was reported, and its figures')
      .argument('<period>', 'a month such as 2026-10, or a range of days such as 2026-04-01..2026-09-30')
      .requiredOption('--reason <text>', 'why it is closed, for the audit trail')
      .option(
        '--as-known <version>',
        'the earlier version with which the period was reported (default: the present one)',
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      )
      .addHelpText(
        'after',
        `
A closed version is never forgotten: every report can be asked as known at it. A load that changes the stock value, sales,
margin or purchases of a closed period warns; with --refuse-closed it is refused. The report history.closed-periods shows
the figures then and now. millbook reopen takes a closing back.`,
      )
      .action(async (period: string, { reason, asKnown, json }: Options, command: Command) => {
        checkUsage(command, () => readPeriod(period))
        const closing = await withDatabase(command, (db, database) =>
          closePeriod(database, (work) => retryDeadlocks(() => db.begin(work)), { period, reason, asKnown }, {}),
        )
        if (json) console.log(JSON.stringify(closingJson(closing)))
        else
          printFacts({
            ...{ period: closing.period, version: String(closing.version) },
            ...{ closed: `${timeOf(closing.closedAt, 'second')} by ${closing.closedBy}`, reason: closing.reason },
            ...Object.fromEntries(PERIOD_FIGURES.map((name) => [name.replace('_', ' '), closing.figures[name]])),
          })
      }),
    "millbook close 2025-10 --reason 'reported to the bank'",
    "millbook close 2025-04-01..2025-09-30 --reason 'audited' --as-known 1 --json",
  )
