/** `millbook report NAME`: a report on the terminal or as a file, from a service or straight from a database. */
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { type Answers, TokenGone } from '../answers/answers.js'
import { readToken, writeToken } from '../answers/since.js'
import { MillbookError } from '../errors.js'
import { fileByDefault, recordLines } from '../formats/index.js'
import { joined, tablesFor } from '../formats/table.js'
import { ALL } from '../kernel/report/choose.js'
import { LIST, nearestReports, shortName } from '../kernel/report/names.js'
import { alternativesIn, type Param, readParams } from '../kernel/report/params.js'
import { COMPARISONS, type Comparison } from '../kernel/report/ranges.js'
import { recordReader } from '../kernel/report/record-reader.js'
import type { Report, ViewSpec } from '../kernel/report/report.js'
import { isSelection, viewed } from '../kernel/report/view.js'
import { DAY_WORDS, FISCAL_MONTH, notADay, periodOf } from '../period-words.js'
import { reports } from '../reports/index.js'
import { wholeNumber } from '../runtime/parse.js'
import { type Json, withExamples } from './command.js'
import { tell } from './database.js'
import {
  FILE,
  formatFor,
  formatOptions,
  type OutputOptions,
  printRecords,
  ROWS,
  showFile,
  TABLE,
  textOf,
  withOutput,
  writeOut,
} from './output.js'
import { printTable } from './print.js'
import { savedViewCommand } from './saved-view.js'
import { sourceCommand, withAnswers } from './source.js'

interface ReportOptions extends OutputOptions {
  from?: string
  to?: string
  period?: string
  sort?: string
  filter?: string[]
  search?: string
  group?: string
  measures?: string
  having?: string[]
  compare?: Comparison
  totals?: true
  columns?: string
  fiscalYearBegins: number
}

export function reportCommand(): Command {
  const saved = savedViewCommand()
  const command = new Command('report')
    .description('show a report, or save it as a file; millbook report list lists the reports')
    .option('--list', 'list the reports')
    .option('--view <name>', 'show a saved view, by its name or id: see millbook report view --help')
    .option('--json', 'print one line of JSON, for programs; errors too')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async ({ list = false, view, json }: { list?: boolean; view?: string } & Json, command: Command) => {
      // The options of the view are still unread.
      if (view !== undefined)
        return void (await saved.parseAsync([view, ...command.args, ...(json ? ['--json'] : [])], { from: 'user' }))
      const [name] = command.args
      const lists = list || name === LIST
      if (name?.startsWith('-') && !lists) command.error(`name the report before its options: report NAME ${name} …`)
      if (name !== undefined && name !== LIST && !name.startsWith('-'))
        command.error(
          `there is no report ${name}${nearestReports(name, reports)}; millbook report list shows the reports`,
        )
      if (!lists) return command.help({ error: true })
      if (json) {
        const about = ({ id, method, path, summary, request }: Report) => ({
          ...{ id, method, path, summary },
          parameters: Object.fromEntries(Object.entries(request).map(([name, { required }]) => [name, { required }])),
        })
        console.log(JSON.stringify({ reports: reports.map(about) }))
      } else
        printTable(
          ['name', 'summary'],
          reports.map(({ id, summary }) => [id, summary]),
        )
    })
  command.addCommand(saved)
  for (const report of reports) command.addCommand(oneReport(report))
  return command
}

/** The program's own option is `--version`, so this parameter gets another name. */
const flagOf = (name: string) => (name === 'version' ? '--variant' : `--${name.toLowerCase().replaceAll('_', '-')}`)

function oneReport(report: Report): Command {
  const command = sourceCommand(report.id, `show ${report.summary.replace(/^./, (letter) => letter.toLowerCase())}`)
  const short = shortName(report, reports)
  if (short !== undefined) command.alias(short)
  const isDated = 'from_date' in report.request
  if (isDated)
    command
      .option('--from <day>', `the first day: ${DAY_WORDS}`)
      .option('--to <day>', 'the last day, in the same words; a period counts up to its last day')
      .option('--period <word>', 'both at once: last-month, 2026-06, fy2025 …')
  for (const [name, param] of Object.entries(report.request))
    if (name !== 'from_date' && name !== 'to_date' && name !== report.perPageFrom)
      command.addOption(paramOption(name, param))
  withOutput(command)
    .option(
      '--since <file>',
      'only the changes since the last run, and no output file if there are none; this file keeps the token between runs',
    )
    .option('--sort <fields>', 'sort by these fields, such as -total_amt,order_no; a minus means descending')
    .option(
      '--filter <condition>',
      'only records that meet this condition, such as "total_amt>=1000"; may be given several times',
      (one: string, all: string[] = []) => [...all, one],
    )
    .option('--search <words>', 'only records that have each of these words')
    .option(
      '--group <fields>',
      'one record for each value of these fields, such as "customer_name,month(invoice_date)", with their sums',
    )
    .option('--measures <figures>', 'the figures of the groups, such as "sum(total_amt),avg(rate)"')
    .option(
      '--having <condition>',
      'only groups that meet this condition, such as "total_amt>=1000"; may be given several times',
      (one: string, all: string[] = []) => [...all, one],
    )
    .addOption(
      new Option('--compare <with>', 'each number beside its value in the period before, or a year before').choices(
        COMPARISONS,
      ),
    )
    .option('--totals', 'one record with the number of records and their sums, in place of the records')
    .option('--fields, --columns <names>', 'only these fields, in this order, separated by commas; all for every field')
    .option(
      '--fiscal-year-begins <month>',
      'the month in which a financial year begins',
      wholeNumber(1, 12),
      FISCAL_MONTH,
    )
    .action((_options: ReportOptions, command: Command) => run(report, command.optsWithGlobals(), command))
  return withExamples(command, ...examplesFor(report, isDated))
}

function paramOption(name: string, { type, description, required, byDefault }: Param<unknown>): Option {
  const left = required ? '' : byDefault === undefined ? '; optional' : `; by default ${byDefault}`
  const about = description.replaceAll('`', '').replace(/\.$/, '') + left
  if (type.kind === 'word') return new Option(`${flagOf(name)} <word>`, about).choices(type.words)
  if (type.kind === 'zero-or-one') return new Option(`${flagOf(name)} <0|1>`, about).choices(['0', '1'])
  return new Option(`${flagOf(name)} <${type.kind === 'date' ? 'day' : 'value'}>`, about)
}

function examplesFor(report: Report, isDated: boolean): string[] {
  const alternatives = alternativesIn(report.request).map(([first]) => first)
  const given = Object.entries(report.request)
    .filter(
      ([name, { required }]) => (required || alternatives.includes(name)) && name !== 'from_date' && name !== 'to_date',
    )
    .map(([name, { type, example }]) => `${flagOf(name)} ${type.kind === 'date' ? 'today' : example}`)
  const words = [...(isDated ? ['--period last-month'] : []), ...given]
  const line = ['millbook report', report.id, ...words].join(' ')
  return [line, `${line} --format ${FILE} -o report.${fileByDefault.extension}`]
}

/** The parameters as a caller of the API sends them. */
async function paramsOf(report: Report, options: ReportOptions, command: Command, answers: Answers) {
  const today = await answers.today()
  const { period, from = period, to = period, fiscalYearBegins } = options
  if (period !== undefined && (options.from !== undefined || options.to !== undefined))
    command.error('give --period, or --from and --to, not both')
  const edge = (flag: string, word: string | undefined, end: 'first' | 'last') => {
    if (word === undefined) return undefined
    const found = periodOf(word, today, fiscalYearBegins)
    if (found === undefined) command.error(`${period === undefined ? flag : '--period'} ${notADay(word)}`)
    return found?.[end]
  }
  const params: Record<string, unknown> = {}
  const typed = command.opts<Record<string, string | undefined>>()
  for (const [name, { type }] of Object.entries(report.request)) {
    const flag = flagOf(name)
    const own = typed[new Option(`${flag} <x>`).attributeName()]
    const value =
      name === 'from_date'
        ? edge('--from', from, 'first')
        : name === 'to_date'
          ? edge('--to', to, 'last')
          : name === report.perPageFrom
            ? undefined
            : type.kind === 'date'
              ? edge(flag, own, 'last')
              : own
    if (value !== undefined) params[name] = value
  }
  const read = readParams(report.request, params)
  if ('errors' in read) {
    const names: Record<string, string> = { from_date: '--from', to_date: '--to' }
    command.error(read.errors.map(({ field, message }) => `${names[field] ?? flagOf(field)} ${message}`).join('; '))
  }
  return params
}

async function run(report: Report, options: ReportOptions, command: Command): Promise<void> {
  const format = formatFor(options)
  const { output, since: file } = options
  if (output !== undefined && file !== undefined && resolve(output) === resolve(file))
    command.error('--since and -o must be two files')
  const view = viewOf(options)
  if (file !== undefined && (isSelection(view) || options.rows !== undefined))
    command.error(
      '--since follows a whole report: leave out --sort, --filter, --search, --totals, --group, --compare and --rows',
    )
  if (file !== undefined && (options.asKnown !== undefined || options.against !== undefined))
    command.error('--since cannot be combined with --as-known and --against: the past does not change')
  if (format === TABLE && (output !== undefined || file !== undefined))
    command.error(
      `${output === undefined ? '--since' : '-o'} cannot write a table: add a file format, such as --format ${FILE}`,
    )
  await withAnswers(command, async (answers) => {
    const params = await paramsOf(report, options, command, answers)
    const shown = Object.entries(params).map(([name, value]) => `${name} ${value}`)
    if (process.stderr.isTTY) tell(`${report.id}${shown.map((text) => `, ${text}`).join('')}`)
    const since = file === undefined ? undefined : readToken(file, report.id, params)
    const { rows: first, asKnown, against } = options
    const wanted = { report, params, format, view, since, first, asKnown, against, options: formatOptions(options) }
    if (format === TABLE && against !== undefined)
      return await showFile(answers, { ...wanted, format: fileByDefault.name })
    if (format === TABLE) return await showTable(report, params, view, options, answers)
    try {
      const fetched = await writeOut(answers, wanted, options)
      if (file !== undefined && fetched.token !== undefined)
        await writeToken(file, { report: report.id, params, token: fetched.token, version: fetched.version })
    } catch (error) {
      if (!(error instanceof TokenGone)) throw error
      throw new MillbookError(
        `the token in ${file} has expired: delete the file; the next run then fetches the whole report`,
      )
    }
  })
}

const viewOf = ({ columns, sort, filter, search, totals, ...options }: ReportOptions): ViewSpec => ({
  ...(columns !== undefined && { fields: columns }),
  ...(sort !== undefined && { sort }),
  ...(filter !== undefined && { filter }),
  ...(search !== undefined && { search }),
  ...(totals && { totals: 'yes' }),
  group: options.group,
  measures: options.measures,
  having: options.having,
  compare: options.compare,
})

async function showTable(
  report: Report,
  params: Readonly<Record<string, unknown>>,
  { fields: chosen, ...rest }: ViewSpec,
  { rows: first = ROWS, lines, asKnown }: ReportOptions,
  answers: Answers,
): Promise<void> {
  const view = { ...rest, fields: ALL } // the columns of lines are chosen below
  const fetched = await answers.fetch({ report, params, view, format: recordLines.name, first, asKnown })
  const read = readParams(report.request, params)
  if ('errors' in read) throw new Error('the parameters were read before')
  const seen = viewed(report, read.values, view)
  const { documents, lists } = tablesFor({ report: seen, values: read.values })
  const table = (lines === 'yes' ? lists[0] : undefined) ?? documents
  const parse = recordReader(seen.shapeFor(read.values))
  const texts = (await textOf(fetched)).split('\n').filter(Boolean)
  const names = chosen === undefined || chosen === ALL ? undefined : chosen.split(',').map((name) => name.trim())
  const all = table.columns.map((column, i) => ({ ...column, i }))
  const picked = names === undefined ? all : names.flatMap((name) => all.filter((column) => column.name === name))
  const unknown = names?.filter((name) => !table.columns.some((column) => column.name === name)) ?? []
  if (unknown.length > 0)
    throw new MillbookError(
      `there is no column ${unknown.join(', ')}; there are ${table.columns.map(({ name }) => name).join(', ')}`,
    )
  const cells = texts
    .flatMap((text) => table.rows(parse(Buffer.from(text))))
    .map((row) => picked.map(({ i }) => cellText(row[i])))
  const columns = picked.map(({ name, column }) => ({ name, isNumber: NUMBERS.has(column.kind) }))
  printRecords(columns, cells, fetched)
}

const NUMBERS = new Set(['decimal', 'number', 'integer'])
const cellText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? joined(value) : String(value)
