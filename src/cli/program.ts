/** The command line as a value: all commands, their help and their usage errors. */
import { Command, type CommanderError } from 'commander'
import { useArgon2Cost } from '../access/secrets.js'
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'
import { PROGRAM_VERSION } from '../program-version.js'
import { auditCommand } from './audit.js'
import { backupCommand, restoreCommand } from './backup.js'
import { clientCommand } from './client.js'
import { withExamples } from './command.js'
import { completeCommand, completionCommand } from './completion.js'
import { deliverCommand } from './deliver.js'
import { demoCommand } from './demo.js'
import { doctorCommand } from './doctor.js'
import { importCommand } from './import.js'
import { loadsCommand } from './loads.js'
import { migrateCommand } from './migrate.js'
import { profileCommand } from './profile.js'
import { pullCommand } from './pull.js'
import { reportCommand } from './report.js'
import { serveCommand } from './serve.js'
import { userCommand } from './user.js'
import { verifyCommand } from './verify.js'

/** A command line that cannot be carried out as typed. */
export class UsageError extends MillbookError {
  /** Names the command whose help to read. */
  readonly help: string

  constructor(message: string, command: Command) {
    super(message)
    this.help = `run ${pathOf(command)} --help to see what is possible`
  }
}

export function makeProgram(json = false): Command {
  const program = new Command('millbook')
    .description('Reporting API over the inventory, sales, purchase and production data of one manufacturing account')
    .version(PROGRAM_VERSION, '--version', 'print the version')
    .helpCommand(false)
    .hook('preAction', (_program, command) => {
      const { argon2 } = command.opts()
      if (argon2 !== undefined) useArgon2Cost(argon2)
    })
  const parts = [
    demoCommand,
    serveCommand,
    importCommand,
    pullCommand,
    loadsCommand,
    verifyCommand,
    migrateCommand,
    reportCommand,
    deliverCommand,
    profileCommand,
  ]
  const more = [backupCommand, restoreCommand, doctorCommand, clientCommand, userCommand, auditCommand]
  for (const part of [...parts, ...more, completionCommand]) program.addCommand(part())
  program.addCommand(
    completeCommand(() => program),
    { hidden: true },
  )
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

export const withSubcommands = (command: Command): Command[] => [command, ...command.commands.flatMap(withSubcommands)]

export const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

function messageOf({ code, message }: CommanderError, command: Command): string {
  if (code === 'commander.help') return `name a command: ${namesOf(command).join(', ')}`
  return message.replace(/^error: /, '').replaceAll('\n', ' ')
}

const namesOf = (command: Command): string[] => command.commands.map((one) => one.name())

/** Unlike commander's own, it follows the names of subcommands. */
function helpCommand(program: Command): Command {
  const command = new Command('help')
    .description('show the help of a command')
    .argument('[command...]', 'its name, and that of its subcommand')
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
