/** `millbook reopen`: takes the closing of a period back. */
import type { Command } from 'commander'
import { readPeriod, reopenPeriod } from '../closed/close.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { inTransaction } from './database.js'

export const reopenCommand = (): Command =>
  withExamples(
    databaseCommand('reopen', 'take the closing of a period back, so that it can be closed again')
      .argument('<period>', 'the period as it was closed: a month, or a range of days')
      .requiredOption('--reason <text>', 'why it is reopened, for the audit trail')
      .addHelpText(
        'after',
        `
The version with which the period was closed can then be forgotten like any other.`,
      )
      .action(async (period: string, { reason, json }: Json & { reason: string }, command: Command) => {
        checkUsage(command, () => readPeriod(period))
        const reopened = await reopenPeriod((work) => inTransaction(command, work), { period, reason }, {})
        if (json) console.log(JSON.stringify(reopened))
        else console.log(`reopened ${reopened.period}, which was closed with version ${reopened.version}`)
      }),
    "millbook reopen 2025-10 --reason 'a vendor sent a corrected invoice'",
  )
