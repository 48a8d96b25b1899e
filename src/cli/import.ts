/** `millbook import`: loads business data from files. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { lockLoads } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import { giveWay } from '../import/give-way.js'
import { type LoadResult, load, type Rejected } from '../import/pipeline/load.js'
import { problemLine, SHOWN } from '../import/pipeline/problems.js'
import type { RejectOptions } from '../import/pipeline/rejects.js'
import { findFiles } from '../import/readers/folder.js'
import { checkReplaced } from '../import/replaced.js'
import type { Counts } from '../ledger/write.js'
import { databaseTarget } from '../runtime/settings.js'
import { LEASE_MS } from '../store/versions.js'
import { checkUsage, databaseCommand, type Json, withExamples } from './command.js'
import { tell, withDatabase } from './database.js'
import { progressBar } from './progress.js'
import { type Rejecting, rejectedLines, rejectOptions, setExitCode, withReject } from './reject.js'

interface Options extends Json, Rejecting {
  dryRun: boolean
  readAll: boolean
  refuseClosed: boolean
  replace: string[]
  template?: string
}

/** The option of every command that loads. */
export const withRefuseClosed = (command: Command): Command =>
  command.option(
    '--refuse-closed',
    'change nothing if that changes the stock value, sales, margin or purchases of a closed period, which otherwise warns',
    false,
  )

const collect = (value: string, before: string[]) => [...before, ...value.split(',')]

export const importCommand = (): Command =>
  withExamples(
    withRefuseClosed(
      withReject(
        databaseCommand('import', 'load business data from .csv, .jsonl and .parquet files: all rows or none'),
      ),
    )
      .argument('[dir]', 'the folder with the files, one per entity: items.csv, stock_movements.parquet …')
      .option('--dry-run', 'do everything but commit', false)
      .option(
        '--replace <entity>',
        "also remove this entity's stored rows that its file lacks; may be repeated",
        collect,
        [],
      )
      .option('--read-all', 'also read files that have not changed since they were last loaded', false)
      .option('--template <dir>', 'write a CSV file with the columns of each entity into this folder, and stop')
      .addHelpText(
        'after',
        `\nEntities: ${entities.map((entity) => entity.name).join(', ')}.\nColumns: docs/import.md.`,
      )
      .action(async (folder: string | undefined, options: Options, command: Command) => {
        if (options.template !== undefined) {
          writeTemplates(options.template)
          console.log(
            options.json ? JSON.stringify({ templates: options.template }) : `wrote templates to ${options.template}`,
          )
          return
        }
        if (folder === undefined) command.error('name the folder with the files, or use --template DIR')
        const files = findFiles(folder)
        let reject: RejectOptions | undefined
        checkUsage(command, () => {
          checkReplaced(options.replace, files)
          reject = rejectOptions(options)
        })
        giveWay()
        const bar = progressBar()
        const release = await lockLoads(databaseTarget(command), () => {
          if (!options.json) tell('waiting for another load to end')
        })
        let result: LoadResult
        try {
          const { replace, dryRun, readAll, refuseClosed } = options
          result = await withDatabase(
            command,
            (_, database) =>
              load(database, files, {
                ...{ replace, dryRun, reject, refuseClosed, incremental: !readAll, onProgress: bar.show },
              }),
            { create: true },
          )
        } finally {
          bar.end()
          await release()
        }
        if (result.committed) await sleep(LEASE_MS) // after that, no service answers with older data
        setExitCode(result)
        if (options.json) console.log(JSON.stringify(jsonOf(result)))
        else printResult(result, options)
      }),
    'millbook import books/',
    'millbook import books/ --replace items --dry-run',
    'millbook import --template blank/',
  )

export const jsonOf = ({ dryRun, dataVersion, rejected, ...result }: LoadResult) => ({
  ...result,
  ...(rejected && { rejected: rejectedJson(rejected) }),
  dry_run: dryRun,
  data_version: dataVersion,
})

const rejectedJson = ({ tooMany, ...rejected }: Rejected) => ({ ...rejected, too_many: tooMany })

export function printResult(result: LoadResult, rejecting: Rejecting = {}): void {
  const { committed, dryRun, dataVersion, unread, entities, errors, warnings } = result
  for (const problem of errors.first) console.error(problemLine(problem))
  if (errors.count > SHOWN) console.error(`… and ${errors.count - SHOWN} more`)
  printWarnings(warnings)
  for (const line of rejectedLines(result, rejecting)) console.error(line)
  if (errors.count > 0) {
    console.error(`${errors.count} ${errors.count === 1 ? 'error' : 'errors'}: nothing was loaded`)
    return
  }
  printCounts(entities, ['new', 'changed', 'same', 'removed'])
  if (unread.length > 0) console.log(`not read, because unchanged since the last load: ${unread.join(', ')}`)
  if (dryRun) console.log('a dry run: nothing was loaded')
  else if (committed) console.log(`the data has version ${dataVersion}`)
}

export function printWarnings({ kinds }: LoadResult['warnings']): void {
  for (const { check, count, examples } of kinds) {
    console.error(`warning: ${check}: ${count}`)
    for (const example of examples) console.error(`  ${example}`)
    if (count > examples.length) console.error(`  … and ${count - examples.length} more`)
  }
}

export function printCounts(entities: LoadResult['entities'], columns: readonly (keyof Counts)[]): void {
  console.log(`${'entity'.padEnd(22)}${columns.map((name) => name.padStart(12)).join('')}`)
  for (const [name, counts] of Object.entries(entities))
    console.log(`${name.padEnd(22)}${columns.map((column) => String(counts[column]).padStart(12)).join('')}`)
}

function writeTemplates(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const there = entities.find((entity) => existsSync(join(folder, `${entity.name}.csv`)))
  if (there !== undefined)
    throw new MillbookError(`${join(folder, there.name)}.csv already exists; name another folder`)
  for (const entity of entities)
    writeFileSync(join(folder, `${entity.name}.csv`), `${Object.keys(entity.columns).join(',')}\n`)
}
