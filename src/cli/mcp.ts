/** `millbook mcp`: the reports as tools of an assistant on this machine, over its standard input and output. */
import type { Command } from 'commander'
import { commandKernel, EVERYTHING } from '../answers/database.js'
import { MillbookError } from '../errors.js'
import { FISCAL_MONTH } from '../period-words.js'
import { reports } from '../reports/index.js'
import { wholeNumber } from '../runtime/parse.js'
import { mcpServer } from '../surfaces/mcp/server.js'
import { kernelSource, type Source } from '../surfaces/mcp/source.js'
import { allViews, listViews, readerNamed } from '../views/saved.js'
import { withExamples } from './command.js'
import { existingTarget, openDatabase, tell } from './database.js'
import { serviceSource } from './mcp-service.js'
import { serviceOf, sourceCommand } from './source.js'

interface McpOptions {
  user?: string
  fiscalYearBegins: number
}

export const mcpCommand = (): Command =>
  withExamples(
    sourceCommand(
      'mcp',
      'answer an assistant on this machine over stdin and stdout (Model Context Protocol); reads only',
    )
      .option('--user <name>', 'read the database with the views and rights of this user; else with all rights')
      .option(
        '--fiscal-year-begins <month>',
        'the month in which a financial year begins, for a service; a database knows its own',
        wholeNumber(1, 12),
        FISCAL_MONTH,
      )
      .action((_options: McpOptions, command: Command) => run(command)),
    'millbook mcp < /dev/null',
    'millbook mcp --help',
  )

async function run(command: Command): Promise<void> {
  const held = new Held(opener(command))
  // Imported here: help and completion need no SDK.
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  const options = { onError: (error: unknown) => log((error as Error)?.stack ?? String(error)) }
  try {
    await new Promise<void>((resolve) => {
      const handle = serveStdio(() => mcpServer((work) => held.use(work), options), {
        onerror: ({ message }) => log(message),
      })
      const end = () => void handle.close().then(resolve, resolve)
      process.stdin.once('end', end).once('close', end)
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, end)
    })
  } finally {
    await held.close()
  }
}

/** For the log of the assistant: stdout has the protocol. */
const log = (line: string): void => void tell(`millbook mcp: ${line}`)

interface Opened {
  readonly source: Source
  close(): Promise<void>
}

/** How long a source stays open after a call. Only one process may have a data directory, and imports need it too. */
const IDLE_MS = 15_000

/** Opens the source for a call, and closes it when no call has come for a while. */
class Held {
  readonly #open: () => Promise<Opened>
  #opened: Promise<Opened> | undefined
  #running = 0
  #timer: NodeJS.Timeout | undefined

  constructor(open: () => Promise<Opened>) {
    this.#open = open
  }

  async use<T>(work: (source: Source) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer)
    this.#running++
    try {
      this.#opened ??= this.#open()
      const { source } = await this.#opened.catch((error) => {
        this.#opened = undefined
        throw error
      })
      return await work(source)
    } finally {
      this.#running--
      if (this.#running === 0)
        this.#timer = setTimeout(() => void this.close().catch((error) => log(String(error))), IDLE_MS)
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const opened = this.#opened
    this.#opened = undefined
    await (await opened?.catch(() => undefined))?.close()
  }
}

/** Checks the options, and returns the function that opens the source. */
function opener(command: Command): () => Promise<Opened> {
  const { user, fiscalYearBegins } = command.opts<McpOptions>()
  const service = serviceOf(command)
  if (service === undefined) {
    existingTarget(command)
    return () => openFromDatabase(command, user)
  }
  if (user !== undefined)
    throw new MillbookError(
      '--user reads a database; a service answers with the rights of its credentials, so leave --user out',
    )
  return async () => ({ source: await serviceSource(service, reports, fiscalYearBegins), close: async () => {} })
}

async function openFromDatabase(command: Command, user: string | undefined): Promise<Opened> {
  const database = await openDatabase(command)
  try {
    const reader = user === undefined ? { ...EVERYTHING, username: null } : await readerNamed(database.db, user)
    const { kernel, close } = commandKernel(database)
    const asked = database.engine.keepsHistory ? reports : reports.filter(({ group }) => group !== 'history')
    const views = user === undefined ? () => allViews(database.db) : () => listViews(database.db, reader)
    return {
      source: kernelSource({ kernel, database, reports: asked, reader, console: undefined, views }),
      async close() {
        await close()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}
