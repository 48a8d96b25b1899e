/** `millbook history`: what loads changed and removed, for reports as they were known earlier. */
import { Command } from 'commander'
import type { Engine } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { wholeNumber } from '../runtime/parse.js'
import { countPast, forgetHistory, HISTORY_DAYS, mayForget, readHistory } from '../store/history.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { withDatabase } from './database.js'
import { timeOf } from './print.js'

export const historyCommand = (): Command =>
  new Command('history')
    .description(
      'the past that reports can be asked of with --as-known: show how much is kept, or forget the oldest part',
    )
    .addCommand(showCommand())
    .addCommand(pruneCommand())

const showCommand = (): Command =>
  withExamples(
    databaseCommand('show', 'show the oldest version that reports can be asked of, and the size of the past').action(
      async ({ json }: Json, command: Command) => {
        const { oldest, since, rows, bytes } = await withDatabase(command, async (db, { engine }) => {
          refuseCluster(engine)
          return { ...(await readHistory(db)), rows: await countPast(db) }
        })
        if (json) console.log(JSON.stringify({ oldest_version: oldest, since, rows, bytes }))
        else if (oldest === undefined) console.log('nothing has been loaded yet')
        else
          console.log(
            `versions from ${oldest} on are kept${since === undefined ? '' : `, the first from ${timeOf(since, 'second')}`}; changed and removed rows: ${rows}, ${(bytes / 2 ** 20).toFixed(1)} MiB`,
          )
      },
    ),
    'millbook history show',
    'millbook history show --json',
  )

const pruneCommand = (): Command =>
  withExamples(
    databaseCommand('prune', 'forget what loads changed and removed long ago; a running service does it every hour')
      .option('--days <n>', 'keep this many days', wholeNumber(1, 36_500), HISTORY_DAYS)
      .action(async ({ days, json }: Json & { days: number }, command: Command) => {
        const { rows, oldest } = await withDatabase(command, async (db, { engine }) => {
          refuseCluster(engine)
          if (!(await mayForget(db)))
            throw new MillbookError(
              "this login may not forget what is past: use the service's login, or that of the database's owner",
            )
          return { rows: await forgetHistory(db, days), oldest: (await readHistory(db)).oldest }
        })
        if (json) console.log(JSON.stringify({ rows, oldest_version: oldest ?? null }))
        else
          console.log(
            `forgot ${rows} rows${oldest === undefined ? '' : `; reports can be asked of versions from ${oldest} on`}`,
          )
      }),
    'millbook history prune --days 90',
  )

function refuseCluster({ keepsHistory }: Engine): void {
  if (!keepsHistory) throw new MillbookError('a cluster keeps no history (docs/scaling.md)', { kind: 'conflict' })
}
