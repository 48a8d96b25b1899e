/** `millbook archive`: moves past years out of a partitioned ledger, and back. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Database, lockLoads } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { noteLoad } from '../import/load-log.js'
import { noWarnings } from '../import/pipeline/warnings.js'
import { type ArchiveOptions, archive, takeBack, vacuumArchived } from '../ledger/archive.js'
import { LEASE_MS } from '../store/versions.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { existingTarget, INSUFFICIENT_PRIVILEGE, tell, withDatabase } from './database.js'
import { counted } from './print.js'

export const archiveCommand = (): Command =>
  withExamples(
    databaseCommand('archive', 'move past years out of the ledger of a PostgreSQL server, to keep them elsewhere')
      .argument('[year]', 'the last year to archive; all before it are archived too')
      .option('--dry-run', 'do everything but commit', false)
      .option('--shrink', 'then give the disk space back, for which reports wait; also later', false)
      .option('--undo', 'move all archived years back; their tables must be there', false)
      .addHelpText(
        'after',
        `
Every figure from the next year on stays as it is, and so does every document. Reports about the stock of
archived years are refused. The movements are then in tables of the schema millbook_archive, to dump and drop.
docs/scaling.md says how. Reports go on meanwhile, and loads wait.`,
      )
      .action(run),
    'millbook archive 2019 --dry-run',
    'millbook archive 2019 --shrink',
    'millbook archive --undo',
  )

type Options = Json & { dryRun: boolean; shrink: boolean; undo: boolean }

async function run(
  typed: string | undefined,
  { json = false, dryRun, shrink, undo }: Options,
  command: Command,
): Promise<void> {
  if (undo === (typed !== undefined)) command.error('name a year, or give --undo')
  if (undo && shrink) command.error('--shrink is for years that are archived: give it without --undo')
  if (typed !== undefined && !/^\d{4}$/.test(typed)) command.error(`${typed} is not a year: write it with four digits`)
  const release = await lockLoads(existingTarget(command), () => {
    if (!json) tell('waiting for a load to end')
  })
  const onStep = (step: string) => void (json || tell(step))
  const work = undo ? undone : archived
  try {
    await withDatabase(command, async (_, database) => {
      const { changed, result, lines } = await work(database, Number(typed), { dryRun, onStep })
      if (!json) for (const line of lines) console.log(line)
      // As after a load: from then on, no service answers with what was before.
      if (changed && !dryRun) await sleep(LEASE_MS)
      if (!undo && !dryRun && (changed || shrink)) await vacuum(database, shrink, onStep)
      if (json) console.log(JSON.stringify({ dry_run: dryRun, ...result }))
      else if (dryRun) console.log('nothing was changed, because of --dry-run')
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

async function vacuum(database: Database, shrink: boolean, onStep: (step: string) => void): Promise<void> {
  onStep(shrink ? 'giving disk space back' : 'making the space of these movements usable again')
  try {
    await vacuumArchived(database, shrink)
  } catch (error) {
    throw new MillbookError(
      `the years are archived, but their space could not be freed (${(error as Error).message}): run the command again with --shrink later`,
    )
  }
}

interface Done {
  readonly changed: boolean
  /** For programs. */
  readonly result: object
  /** For people. */
  readonly lines: readonly string[]
}

async function archived(database: Database, year: number, options: ArchiveOptions): Promise<Done> {
  const result = await archive(database, year, { ...options, onDone: noteAs(`millbook archive ${year}`) })
  const { begins, tables, movements, kept, sums, archived: changed } = result
  const nothing =
    begins === null
      ? `there is nothing to archive: the ledger has no movements of ${year} or before`
      : `movements before ${begins} are archived already`
  const lines = [
    `the ledger begins with ${begins}: ${counted(movements, 'movement')} went to ${tables.join(', ') || 'no table'}`,
    `it has ${counted(sums, 'sum')} of them, and ${counted(kept, 'movement')} of open batches as they are`,
  ]
  return { changed, result, lines: changed ? lines : [nothing] }
}

async function undone(database: Database, _year: number, options: ArchiveOptions): Promise<Done> {
  const result = await takeBack(database, { ...options, onDone: noteAs('millbook archive --undo') })
  const { years } = result
  const line = years.length === 0 ? 'no year is archived' : `the ledger has its movements of ${years.join(', ')} again`
  return { changed: years.length > 0, result, lines: [line] }
}

/** Notes it in the log of loads: what the ledger gained and lost. */
const noteAs =
  (name: string): NonNullable<ArchiveOptions['onDone']> =>
  (tx, { version, seconds, added, removed }) =>
    noteLoad(tx, {
      ...{ version, seconds, rows: 0, warnings: noWarnings() },
      ...{ actor: undefined, source: { name, parts: [] } },
      entities: { stock_movements: { new: added, changed: 0, same: 0, removed } },
    })
