/** `millbook archive`: takes past years out of a partitioned ledger, and back. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { lockLoads } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { archive, takeBack } from '../ledger/archive.js'
import { databaseTarget } from '../runtime/settings.js'
import { LEASE_MS } from '../store/versions.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { INSUFFICIENT_PRIVILEGE, tell, withDatabase } from './database.js'
import { counted } from './print.js'

export const archiveCommand = (): Command =>
  withExamples(
    databaseCommand('archive', 'take past years out of the ledger of a PostgreSQL server, to keep them elsewhere')
      .argument('[year]', 'the last year to archive; all before it are archived too')
      .option('--dry-run', 'do everything but commit', false)
      .option('--undo', 'take all archived years back; their tables must be there', false)
      .addHelpText(
        'after',
        `
Every figure from the next year on stays as it is, and so does every document. Reports about the stock of
archived years are refused. The movements are then in tables of the schema millbook_archive, to dump and drop.
docs/scaling.md says how. Reports and loads wait until it is done.`,
      )
      .action(run),
    'millbook archive 2019 --dry-run',
    'millbook archive 2019',
    'millbook archive --undo',
  )

type Options = Json & { dryRun: boolean; undo: boolean }

async function run(
  typed: string | undefined,
  { json = false, dryRun, undo }: Options,
  command: Command,
): Promise<void> {
  if (undo === (typed !== undefined)) command.error('name a year, or give --undo')
  if (typed !== undefined && !/^\d{4}$/.test(typed)) command.error(`${typed} is not a year: write it with four digits`)
  const release = await lockLoads(databaseTarget(command), () => {
    if (!json) tell('waiting for a load to end')
  })
  try {
    await withDatabase(command, async (_, database) => {
      const options = { dryRun, onStep: (step: string) => void (json || tell(step)) }
      const lines = undo
        ? await undone(database, options, json)
        : await archived(database, Number(typed), options, json)
      // As after a load: from then on, no service answers with what was before.
      if (!dryRun) await sleep(LEASE_MS)
      for (const line of lines) console.log(line)
      if (dryRun && !json) console.log('nothing was changed, because of --dry-run')
    })
  } catch (error) {
    throw (error as { code?: string }).code === INSUFFICIENT_PRIVILEGE
      ? new MillbookError(
          `this login may not change tables (${(error as Error).message}): use that of the owner of the database`,
        )
      : error
  } finally {
    await release()
  }
}

type Work = Parameters<typeof archive>

async function archived(database: Work[0], year: number, options: Work[2], json: boolean): Promise<string[]> {
  const result = await archive(database, year, options)
  if (json) return [JSON.stringify(result)]
  const { begins, tables, movements, kept, openings } = result
  if (!result.archived)
    return [
      begins === null
        ? `there is nothing to archive: the ledger has no movements of ${year} or before`
        : `movements before ${begins} are archived already`,
    ]
  return [
    `${counted(movements, 'movement')} left the ledger, which begins with ${begins}: ${tables.join(', ') || 'none'}`,
    `${counted(openings, 'row')} of the ledger stand for them, and ${counted(kept, 'movement')} of open batches stay in it too`,
  ]
}

async function undone(database: Work[0], options: Work[2], json: boolean): Promise<string[]> {
  const { years } = await takeBack(database, options)
  if (json) return [JSON.stringify({ years })]
  return [years.length === 0 ? 'no year is archived' : `the ledger has its movements of ${years.join(', ')} again`]
}
