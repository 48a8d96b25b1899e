/** The command line as a value: all commands, their help and their usage errors. */
import { Command, type CommanderError } from 'commander'
import { useArgon2Cost } from '../access/secrets.js'
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'
import { PROGRAM_VERSION } from '../program-version.js'
import { withExamples } from './command.js'

/** By name, in the order of the help. Each is imported when needed: importing all takes half a second. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo.js')).demoCommand(),
  serve: async () => (await import('./serve.js')).serveCommand(),
  import: async () => (await import('./import.js')).importCommand(),
  pull: async () => (await import('./pull.js')).pullCommand(),
  loads: async () => (await import('./loads.js')).loadsCommand(),
  undo: async () => (await import('./undo.js')).undoCommand(),
  close: async () => (await import('./close.js')).closeCommand(),
  reopen: async () => (await import('./reopen.js')).reopenCommand(),
  history: async () => (await import('./history.js')).historyCommand(),
  verify: async () => (await import('./verify.js')).verifyCommand(),
  migrate: async () => (await import('./migrate.js')).migrateCommand(),
  report: async () => (await import('./report.js')).reportCommand(),
  deliver: async () => (await import('./deliver.js')).deliverCommand(),
  mcp: async () => (await import('./mcp.js')).mcpCommand(),
  profile: async () => (await import('./profile.js')).profileCommand(),
  backup: async () => (await import('./backup.js')).backupCommand(),
  restore: async () => (await import('./backup.js')).restoreCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  client: async () => (await import('./client.js')).clientCommand(),
  user: async () => (await import('./user.js')).userCommand(),
  webhook: async () => (await import('./webhook.js')).webhookCommand(),
  audit: async () => (await import('./audit.js')).auditCommand(),
  completion: async () => (await import('./completion.js')).completionCommand(),
}

/** A command line that cannot be carried out as typed. */
export class UsageError extends MillbookError {
  /** Names the command whose help to read. */
  readonly help: string

  constructor(message: string, command: Command) {
    super(message)
    this.help = `run ${pathOf(command)} --help to see the usage`
  }
}

/** All commands, or only the one that the typed words need. */
export async function makeProgram(json = false, words: readonly string[] = []): Promise<Command> {
  const program = new Command('millbook')
    .description("ready-made reports from a manufacturer's stock, sales, purchase and production data")
    .version(PROGRAM_VERSION, '--version', 'print the version')
    .helpCommand(false)
    .hook('preAction', (_program, command) => {
      const { argon2 } = command.opts()
      if (argon2 !== undefined) useArgon2Cost(argon2)
    })
  const needed = neededBy(words)
  for (const make of needed) program.addCommand(await make())
  if (words[0] === 'complete' || needed.length > 1) {
    const { completeCommand } = await import('./completion.js')
    program.addCommand(completeCommand(program), { hidden: true })
  }
  program.addCommand(helpCommand(program))
  for (const command of program.commands)
    if (command.commands.length > 0) command.helpCommand('help [command]', 'show the help of a subcommand')
  for (const command of withSubcommands(program))
    command
      .helpOption('-h, --help', 'show this help')
      .configureOutput({
        outputError: () => {}, // the caller prints the UsageError
        writeErr: (text) => void (json || process.stderr.write(text)),
      })
      .exitOverride((error) => {
        if (error.exitCode === 0) process.exit(0) // --help or --version has been printed
        throw new UsageError(messageOf(error, command), command)
      })
  return program
}

/** The one command that is typed, asked about or completed; none for the version; otherwise all. */
function neededBy(words: readonly string[]): (() => Promise<Command>)[] {
  const [first = '', second = '', third = '', fourth] = words
  if (first === '--version') return []
  const name = first === 'help' ? second : first === 'complete' && fourth !== undefined ? third : first
  const one = Object.hasOwn(commands, name) ? commands[name] : undefined
  return one === undefined ? Object.values(commands) : [one]
}

export const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)]

export const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

function messageOf({ code, message }: CommanderError, command: Command): string {
  if (code === 'commander.help') return `name a command: ${namesOf(command).join(', ')}`
  const text = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace('(Did you', '(did you')
  const option = code === 'commander.unknownOption' && /^(unknown option '(--[^'=]+)[^']*').*/.exec(text)
  if (!option) return text
  const known = command.options.flatMap(({ long }) => long ?? [])
  return `${option[1]}${nearest(option[2] as string, known, 1, (name) => [name, ...(inTheApi[name] ?? [])])}`
}

/** The parameters of the API that an option stands for. */
const inTheApi: Readonly<Record<string, readonly string[]>> = {
  '--from': ['--from_date'],
  '--to': ['--to_date'],
  '--rows': ['--per_page', '--page', '--limit'],
}

const namesOf = (command: Command): string[] => command.commands.map((one) => one.name())

/** Unlike commander's help command, it follows the names of subcommands. */
function helpCommand(program: Command): Command {
  const command = new Command('help')
    .description('show the help of a command')
    .argument('[command...]', 'the name of the command, and of its subcommand')
    .action((names: string[]) => {
      let found = program
      for (const [at, name] of names.entries()) {
        const next = found.commands.find((one) => one.name() === name)
        if (next === undefined)
          return command.error(
            `there is no command ${names.slice(0, at + 1).join(' ')}${nearest(name, namesOf(found))}`,
          )
        found = next
      }
      found.outputHelp()
    })
  return withExamples(command, 'millbook help client create')
}
