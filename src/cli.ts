#!/usr/bin/env node
/** The command line: `millbook <command>`. */
import { Command } from 'commander'
import { useArgon2Cost } from './access/secrets.js'
import { auditCommand } from './cli/audit.js'
import { clientCommand } from './cli/client.js'
import { demoCommand } from './cli/demo.js'
import { importCommand } from './cli/import.js'
import { migrateCommand } from './cli/migrate.js'
import { serveCommand } from './cli/serve.js'
import { userCommand } from './cli/user.js'
import { verifyCommand } from './cli/verify.js'
import { inWords } from './errors.js'

const program = new Command('millbook')
  .description('Reporting API over the inventory, sales, purchase and production data of one manufacturing account')
  .showHelpAfterError('(add --help for what is possible)')
  .configureHelp({ showGlobalOptions: true })
  .hook('preAction', (_program, command) => {
    const { argon2 } = command.opts()
    if (argon2 !== undefined) useArgon2Cost(argon2)
  })
for (const command of [
  demoCommand,
  serveCommand,
  importCommand,
  verifyCommand,
  migrateCommand,
  clientCommand,
  userCommand,
  auditCommand,
])
  program.addCommand(command())

try {
  await program.parseAsync()
} catch (error) {
  const message = inWords(error)
  process.stderr.write(
    process.argv.includes('--json') ? `${JSON.stringify({ error: message })}\n` : `millbook: ${message}\n`,
  )
  process.exit(1)
}
