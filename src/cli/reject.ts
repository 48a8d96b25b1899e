/** `--reject FILE` of loads: the options, the file with the rejected rows, and what is printed about them. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { writeWhole } from '../client/save.js'
import { MillbookError } from '../errors.js'
import type { LoadResult } from '../import/pipeline/load.js'
import type { RejectedRow, RejectOptions } from '../import/pipeline/rejects.js'
import { wholeNumber } from '../runtime/parse.js'
import { counted } from './print.js'

export interface Rejecting {
  reject?: string
  rejectMost?: number
}

/** The exit code of a load that left out wrong rows. */
export const REJECTED = 3

export const withReject = (command: Command): Command =>
  command
    .option(
      '--reject <file>',
      'leave out wrong rows to which no other row refers, write them with the reasons into this file (.csv or .jsonl), and load the rest; then the exit code is 3',
      fileName,
    )
    .option(
      '--reject-most <n>',
      'the most rows that may be rejected (default: 1 % of the rows, at least 10, at most 1000)',
      wholeNumber(1, 1_000_000),
    )

function fileName(name: string): string {
  if (/\.(csv|jsonl)$/.test(name)) return name
  throw new InvalidArgumentError('Its name must end in .csv or .jsonl.')
}

/** Throws if the file cannot be written, before the load reads anything. */
export function rejectOptions({ reject: file, rejectMost }: Rejecting): RejectOptions | undefined {
  if (file === undefined) {
    if (rejectMost !== undefined) throw new MillbookError('--reject-most needs --reject FILE')
    return undefined
  }
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new MillbookError(`there is no folder ${dirname(file)} for the file of --reject`)
  const encode = file.endsWith('.csv') ? csv : jsonl
  return {
    most: rejectMost,
    write: async (rows) => {
      await writeWhole(file, encode(rows))
    },
  }
}

async function* jsonl(rows: readonly RejectedRow[]): AsyncGenerator<Buffer> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`)
}

const COLUMNS = ['entity', 'file', 'line', 'cell', 'key', 'reasons', 'row'] as const

async function* csv(rows: readonly RejectedRow[]): AsyncGenerator<Buffer> {
  yield Buffer.from(`${COLUMNS.join(',')}\r\n`)
  for (const { entity, file, line, cell = '', key, reasons, row } of rows) {
    const said = reasons.map(({ column, value, message }) =>
      [column && (value === null ? column : `${column} = ${JSON.stringify(value)}`), message]
        .filter(Boolean)
        .join(': '),
    )
    const cells = [entity, file, String(line), cell, JSON.stringify(key), said.join('; '), JSON.stringify(row)]
    yield Buffer.from(`${cells.map(quoted).join(',')}\r\n`)
  }
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Sets the exit code of a load. */
export function setExitCode({ errors, rejected }: LoadResult): void {
  if (errors.count > 0) process.exitCode = 1
  else if (rejected !== undefined && rejected.count > 0) process.exitCode = REJECTED
}

/** For people: the rows that were rejected, or why the load was refused nevertheless. */
export function rejectedLines({ errors, rejected }: LoadResult, { reject: file = '' }: Rejecting): string[] {
  if (rejected === undefined || rejected.count === 0) return []
  const { count, most, tooMany, entities, kept } = rejected
  if (tooMany)
    return [
      `more than ${counted(most, 'wrong row')}, so no row was rejected: correct them (${file} lists them), or raise --reject-most`,
    ]
  if (errors.count > 0)
    return [
      `no row was rejected, because the load was refused: ${file} lists ${counted(count, 'wrong row')} to correct, too`,
    ]
  const each = Object.entries(entities).map(([name, rows]) => `${name} ${rows}`)
  const stay = kept === 1 ? '1 stored row stays as it is' : `${kept} stored rows stay as they are`
  return [
    `rejected ${counted(count, 'row')} (${each.join(', ')}): see ${file}`,
    ...(kept > 0 ? [`${stay}, because new versions of them may be among the rejected rows`] : []),
  ]
}
