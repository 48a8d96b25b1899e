/** `millbook loads`: the loads that changed the data. */
import type { Command } from 'commander'
import { loadJson, type PastLoad, readLoads } from '../import/load-log.js'
import { wholeNumber } from '../runtime/parse.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { tell, withDatabase } from './database.js'
import { printTable, timeOf } from './print.js'

export const loadsCommand = (): Command =>
  withExamples(
    databaseCommand(
      'loads',
      'list the loads that changed the data: time, user, source files and counts of changed rows',
    )
      .option('--limit <n>', 'show at most this many loads, the newest', wholeNumber(1, 1000), 20)
      .action(async ({ limit, json }: Json & { limit: number }, command: Command) => {
        const { loads, more } = await withDatabase(command, (db) => readLoads(db, { limit }))
        if (json) {
          console.log(JSON.stringify({ loads: loads.map(loadJson), more }))
          return
        }
        if (more) tell(`these are the newest ${loads.length} loads: use --limit to see older ones`)
        if (loads.length === 0) tell('the log has no load that changed the data')
        else printTable([...COLUMNS], loads.map(cells))
      }),
    'millbook loads',
    'millbook loads --limit 100 --json',
  )

const COLUMNS = [
  'version',
  'at',
  'seconds',
  'by',
  'rows',
  'new',
  'changed',
  'removed',
  'warnings',
  'rejected',
  'from',
] as const

function cells({
  version,
  committedAt,
  seconds,
  actor,
  rows,
  entities,
  warnings,
  rejected,
  source,
}: PastLoad): string[] {
  const sum = (kind: 'new' | 'changed' | 'removed') =>
    String(Object.values(entities).reduce((all, counts) => all + counts[kind], 0))
  return [
    ...[String(version), timeOf(committedAt, 'second'), seconds.toFixed(1), actor, String(rows)],
    ...[sum('new'), sum('changed'), sum('removed'), String(warnings), String(rejected), source.join(' ')],
  ]
}
