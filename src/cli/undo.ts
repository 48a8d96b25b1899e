/** `millbook undo`: takes the last load back. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { lockLoads } from '../db/connect.js'
import { giveWay } from '../import/give-way.js'
import { findLoad } from '../import/load-log.js'
import { lastUndoable, requireUndoable, undoLoad } from '../import/undo/undo.js'
import { wholeNumber } from '../runtime/parse.js'
import { LEASE_MS } from '../store/versions.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { confirm } from './confirm.js'
import { existingTarget, tell, withDatabase } from './database.js'
import { printCounts, printWarnings, withRefuseClosed } from './import.js'
import { progressBar } from './progress.js'

interface Options extends Json {
  dryRun: boolean
  refuseClosed: boolean
  yes: boolean
}

export const undoCommand = (): Command =>
  withExamples(
    withRefuseClosed(
      databaseCommand(
        'undo',
        'take the last load back: remove the rows that it added, and restore the rows that it changed or removed',
      ),
    )
      .argument(
        '[version]',
        'the version of the data that the load made; the last one by default',
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      )
      .option('--dry-run', 'do everything but commit', false)
      .option('--yes', 'do not ask for confirmation', false)
      .addHelpText(
        'after',
        `
The last load can be taken back until something else changes the data; an undo is a load too, so a second undo takes
the first one back. millbook loads lists the loads.`,
      )
      .action(async (given: number | undefined, options: Options, command: Command) => {
        const { dryRun, refuseClosed, yes, json } = options
        giveWay()
        const bar = progressBar()
        const release = await lockLoads(existingTarget(command), () => {
          if (!json) tell('waiting for another load to end')
        })
        try {
          const { version, undone } = await withDatabase(command, async (db, database) => {
            const { version, name } = given === undefined ? await lastUndoable(db) : await requireUndoable(db, given)
            const load = await findLoad(db, version)
            const when = load === undefined ? '' : ` by ${load.actor} at ${load.committedAt.toISOString()}`
            if (!dryRun) await confirm(`Take back the load of version ${version}, ${name},${when}?`, yes)
            const onProgress = (what: string, done: number) => bar.show({ phase: 'merging', what, done, rows: 0 })
            return { version, undone: await undoLoad(database, version, { dryRun, refuseClosed, onProgress }) }
          })
          bar.end()
          if (!dryRun) await sleep(LEASE_MS) // after that, no service answers with newer data
          const { rows, entities, warnings } = undone
          if (json) {
            console.log(
              JSON.stringify({
                undone: version,
                dry_run: dryRun,
                data_version: undone.version,
                rows,
                entities,
                warnings,
              }),
            )
            return
          }
          printWarnings(warnings)
          printCounts(entities, ['new', 'changed', 'removed'])
          console.log(
            dryRun
              ? `a dry run: the load of version ${version} was not taken back`
              : `took back the load of version ${version}: the data has version ${undone.version}`,
          )
        } finally {
          bar.end()
          await release()
        }
      }),
    'millbook undo --dry-run',
    'millbook undo --dry-run --json',
  )
