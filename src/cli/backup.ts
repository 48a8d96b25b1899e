/** `millbook backup` and `millbook restore`. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { checkTarget, type Keys, openBackupFile, readBackupFile, writeBackupFile } from '../backup/file.js'
import { checkBackup, restore } from '../backup/read.js'
import { type BackupResult, writeBackup } from '../backup/write.js'
import { connect, type Database, type Db } from '../db/connect.js'
import { describeRoles, migrateWithRoles } from '../db/roles.js'
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import { isOddity, summary, verify } from '../import/pipeline/verify.js'
import { databaseTarget } from '../runtime/settings.js'
import { hasState } from '../sqlstate.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { refreshAccess, tell, withDatabase } from './database.js'

/** Both commands take the passphrase from here, never from an argument. */
const PASSPHRASE = 'MILLBOOK_BACKUP_PASSPHRASE'
const WITH_PASSPHRASE = `\nWithout --recipient and with ${PASSPHRASE} in the environment, the file is encrypted with that passphrase.`

const collect = (value: string, before: readonly string[] = []) => [...before, value]

export const backupCommand = (): Command =>
  withExamples(
    databaseCommand('backup', 'write all data, clients, users and the audit trail to a file')
      .argument('<file>', 'the file to write; - for stdout')
      .option('--recipient <key>', 'encrypt it for this public key of age; may be given several times', collect)
      .option('--force', 'replace the file if it exists')
      .addHelpText('after', WITH_PASSPHRASE)
      .addHelpText(
        'after',
        'The service and loads keep running: the file has the data of the moment at which the backup began.',
      )
      .action(runBackup),
    'millbook backup millbook.backup',
    'MILLBOOK_BACKUP_PASSPHRASE="a long sentence" millbook backup safe.backup --json',
  )

interface BackupOptions extends Json {
  recipient?: string[]
  force?: boolean
}

async function runBackup(file: string, options: BackupOptions, command: Command): Promise<void> {
  checkTarget(file, options.force ?? false)
  const keys: Keys = { recipients: options.recipient ?? [], passphrase: passphrase() }
  const show = showTables('writing')
  const write = async (_db: Db, database: Database) => {
    let result: BackupResult = { tables: 0, rows: 0, version: 0 }
    const backup = writeBackup(database, show)
    const pieces = (async function* () {
      result = yield* backup
    })()
    await writeBackupFile(file, pieces, keys)
    return result
  }
  // A backup is due before every migration, so an older schema is accepted.
  const result = await withDatabase(command, write, { anySchema: true }).catch((error) => {
    throw hasState(error, 'insufficient_privilege')
      ? new MillbookError(
          `this login may not read every table (${error.message}): use the login of the database's owner`,
        )
      : error
  })
  const encrypted = options.recipient !== undefined || keys.passphrase !== undefined
  const { tables, rows, version } = result
  const print = file === '-' ? tell : console.log
  if (options.json)
    print(
      JSON.stringify({
        file,
        tables,
        rows,
        data_version: version,
        encrypted,
      }),
    )
  else
    print(
      `wrote ${rows.toLocaleString('en')} rows of ${tables} tables, data version ${version}, to ${file}${encrypted ? ', encrypted' : ''}`,
    )
}

export const restoreCommand = (): Command =>
  withExamples(
    databaseCommand('restore', 'put a backup into an empty database, and verify it')
      .argument('<file>', 'the backup; - for stdin')
      .option('--identity <file>', 'decrypt it with the private keys of age in this file')
      .addHelpText('after', `\nWith ${PASSPHRASE} in the environment, the file is decrypted with that passphrase.`)
      .action(runRestore),
    'millbook restore millbook.backup --data restored',
    'MILLBOOK_BACKUP_PASSPHRASE="a long sentence" millbook restore safe.backup --data other',
  )

async function runRestore(file: string, options: { identity?: string } & Json, command: Command): Promise<void> {
  const keys: Keys = {
    identities: options.identity === undefined ? [] : readIdentities(options.identity),
    passphrase: passphrase(),
  }
  const target = databaseTarget(command)
  if (file !== '-') await checkBackup(readBackupFile(file, keys)) // stdin can be read only once
  const backup = await openBackupFile(file, keys) // before a data directory is created for it
  const database = await connect(target)
  try {
    const restored = await restore(database, backup, showTables('restoring'))
    const { roles } = await migrateWithRoles(database, entities, refreshAccess) // from the backup's schema to this program's
    if (roles !== undefined) tell(describeRoles(roles))
    tell('verifying the restored data')
    const findings = await verify(database, { rebuild: false })
    const { tables, rows, version, made_at } = restored
    const ok = findings.every(isOddity)
    if (!ok) process.exitCode = 1
    if (options.json) console.log(JSON.stringify({ ok, tables, rows, data_version: version, made_at, findings }))
    else {
      console.log(
        `restored ${rows.toLocaleString('en')} rows of ${tables} tables, data version ${version}, from a backup of ${made_at}`,
      )
      for (const { check, count } of findings) console.log(`${check}: ${count}`)
      console.log(summary(findings))
    }
  } finally {
    await database.close()
  }
}

function passphrase(): string | undefined {
  const given = process.env[PASSPHRASE]
  if (given === '') throw new MillbookError(`${PASSPHRASE} is empty: set it, or unset it to use no passphrase`)
  return given
}

/** Reads a file as age-keygen writes it: one key per line, and comments. */
function readIdentities(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new MillbookError(`--identity: cannot read ${path}: ${(error as Error).message}`)
  }
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (keys.length === 0) throw new MillbookError(`--identity: ${path} has no private key of age (AGE-SECRET-KEY-1…)`)
  return keys
}

/** Shows the current table on a terminal, since a large database takes a while. */
const showTables = (doing: string) => (name: string, rows: number) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${doing} ${name}: ${rows.toLocaleString('en')} rows so far`)
}
