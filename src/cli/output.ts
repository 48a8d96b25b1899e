/** Writes fetched reports to standard output and to files, and tables to the terminal. */
import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Answers, Fetched, Wanted } from '../answers/answers.js'
import { save } from '../answers/save.js'
import { MillbookError } from '../errors.js'
import type { Options } from '../formats/format.js'
import { cellsByDefault, fileByDefault, formats, taking, usualLines } from '../formats/index.js'
import { asKnownParam } from '../kernel/report/as-known.js'
import { LARGEST_PAGE } from '../kernel/report/paging.js'
import { wholeNumber } from '../runtime/parse.js'
import type { Json } from './command.js'
import { tell } from './database.js'
import { type TableColumn, tableLines } from './table.js'

export const TABLE = 'table'
export const FILE = fileByDefault.name
/** Records of a table on the terminal, unless more are asked for. */
export const ROWS = 50

export interface OutputOptions extends Json {
  format?: string
  output?: string
  since?: string
  asKnown?: string
  against?: string
  rows?: number
  lines?: Options['lines']
  formulas?: Options['formulas']
  headings?: Options['headings']
}

/** Adds the options of the file or the table. */
export const withOutput = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--format <name>',
        `the format (default: by the extension of -o, else ${TABLE} on a terminal and ${FILE} elsewhere)`,
      ).choices([TABLE, ...formats.map(({ name }) => name)]),
    )
    .option(
      '-o, --output <file>',
      'write to this file, whole or not at all; {version} and {date} in its name are filled in',
    )
    .addOption(
      new Option(
        '--lines <yes|no>',
        `yes for the lines of documents, each with the key of its document; by default ${usualLines}`,
      ).choices(['yes', 'no']),
    )
    .addOption(
      new Option(
        '--formulas <how>',
        `in ${taking('formulas').join(' and ')}: safe defuses text that a spreadsheet would run as a formula`,
      ).choices(['as-is', 'safe']),
    )
    .addOption(
      new Option(
        '--headings <how>',
        `in ${taking('headings').join(' and ')}: api heads the columns with the names of fields, in place of words`,
      ).choices(['words', 'api']),
    )
    .option(
      '--as-known <when>',
      'as it was known earlier: a version of the data, a day (at its end), or a moment such as 2026-10-31T18:00:00+05:30',
      asKnown,
    )
    .option(
      '--against <when>',
      'the differences from an earlier version, day or moment: what is new, gone and changed',
      asKnown,
    )
    .option(
      '--rows <n>',
      `only the first records (default: ${ROWS} in a table on the terminal, all elsewhere)`,
      wholeNumber(1, LARGEST_PAGE),
    )

function asKnown(text: string): string {
  const known = asKnownParam.read(text)
  if (known === undefined) throw new InvalidArgumentError(`It must be ${asKnownParam.expects}.`)
  return known
}

/** The options of the format. */
export const formatOptions = ({ lines, formulas, headings }: OutputOptions): Options => ({
  ...(lines && { lines }),
  ...(formulas && { formulas }),
  ...(headings && { headings }),
})

/** The format of the options, of the extension of the output file, or the usual one for this output. */
export function formatFor({ format, output, json, since }: OutputOptions): string {
  if (format !== undefined) return format
  const named = formats.find(({ name }) => output?.toLowerCase().endsWith(`.${name}`))
  if (named !== undefined) return named.name
  if (json && output === undefined) return 'json'
  return process.stdout.isTTY && output === undefined && since === undefined ? TABLE : FILE
}

/** Shows a file of the default format as a table on the terminal. */
export async function showFile(answers: Answers, wanted: Wanted): Promise<void> {
  const fetched = await answers.fetch({ ...wanted, first: wanted.first ?? ROWS })
  const [names = [], ...rows] = cellsByDefault(await textOf(fetched))
  const columns = names.map((name, i) => ({ name, isNumber: rows.every((row) => NUMBER.test(row[i] ?? '')) }))
  printRecords(columns, rows, fetched)
}

/** A number, or no value. */
const NUMBER = /^(-?\d+(\.\d+)?)?$/

/** Writes to the output file, or else to standard output. SIGINT and SIGTERM leave no part of a file behind. */
export async function writeOut(answers: Answers, wanted: Wanted, options: OutputOptions): Promise<Fetched> {
  const { output } = options
  if (output === undefined || output === '-') return await toStdout(answers, wanted)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => stop.abort(new MillbookError(`stopped by ${signal}; no file was written`)))
  return await toFile(answers, wanted, output, options, stop.signal)
}

async function toStdout(answers: Answers, wanted: Wanted): Promise<Fetched> {
  const fetched = await answers.fetch(wanted)
  const bytes = async function* () {
    yield* fetched.bytes
    if (wanted.format === 'json') yield Buffer.from('\n')
  }
  try {
    await pipeline(bytes(), process.stdout, { end: false })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EPIPE') throw new MillbookError('the program that read the output has closed it')
    throw new MillbookError(`the output cannot be written: ${message}`)
  }
  return fetched
}

async function toFile(
  answers: Answers,
  wanted: Wanted,
  output: string,
  { json }: OutputOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const { isTTY } = process.stderr
  let shown = 0
  const onBytes = (bytes: number, of: number | undefined) => {
    if (!isTTY || Date.now() - shown < 100) return
    shown = Date.now()
    process.stderr.write(`\r\x1b[K${megabytes(bytes)}${of === undefined ? '' : ` of ${megabytes(of)}`}`)
  }
  const date = await answers.today()
  const pathFor = ({ version }: Fetched) => output.replaceAll('{version}', version).replaceAll('{date}', date)
  const first = await answers.fetch(wanted, signal)
  if ('report' in wanted && wanted.since !== undefined && first.records === 0) {
    // The file may hold changes of the last run that are still unread, so it is left alone.
    if (json)
      console.log(JSON.stringify({ file: null, records: 0, version: Number(first.version), token: first.token }))
    else tell(`nothing has changed; no file is written (version ${first.version} of the data)`)
    for await (const _ of first.bytes);
    return first
  }
  let next: Fetched | undefined = first
  const again = async () => {
    const fetched = next ?? (await answers.fetch(wanted, signal))
    next = undefined
    return fetched
  }
  const { path, bytes, sha256, fetched } = await save(again, pathFor, { onBytes, signal }).finally(() => {
    if (isTTY) process.stderr.write('\r\x1b[K')
  })
  const { records, version, token } = fetched
  if (json)
    console.log(
      JSON.stringify({ file: path, records, bytes, version: Number(version), sha256, ...(token && { token }) }),
    )
  else tell(`${path}: ${records.toLocaleString('en')} records, ${megabytes(bytes)}, version ${version} of the data`)
  return fetched
}

const megabytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1000).toLocaleString('en')} kB` : `${(bytes / 1e6).toFixed(1)} MB`

/** The whole text of a fetched report. */
export async function textOf({ bytes }: Fetched): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const piece of bytes) parts.push(piece)
  return Buffer.concat(parts).toString()
}

/** Prints a table, and below it how many records it shows. */
export function printRecords(
  columns: readonly TableColumn[],
  cells: string[][],
  { records, total, version }: Pick<Fetched, 'records' | 'total' | 'version'>,
): void {
  const width = process.stdout.isTTY ? process.stdout.columns || 80 : undefined
  const { lines, hidden } = tableLines(columns, cells, width)
  console.log(lines.join('\n'))
  if (hidden.length > 0)
    tell(
      `${hidden.length} columns do not fit: ${hidden.join(', ')}. Choose with --columns, or --format ${FILE} for all`,
    )
  tell(
    records < total
      ? `${records.toLocaleString('en')} of ${total.toLocaleString('en')} records, version ${version}; --rows N shows more, --format ${FILE} all`
      : `${records.toLocaleString('en')} ${records === 1 ? 'record' : 'records'}, version ${version}`,
  )
}
