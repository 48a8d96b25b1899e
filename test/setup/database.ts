/** A database of its own for a test file, on the engine that the file is run for. */
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { connect, type Database, type Target } from '../../src/db/connect.js'

export const engine = (process.env['MILLBOOK_TEST_ENGINE'] ?? 'embedded') as Target['engine']

export interface TestTarget {
  target: Target
  /** As flags for the command line. */
  flags: string[]
  drop(): Promise<void>
}

/** A copy of a prepared database: one without any table, or one with the schema and nothing in it. */
export async function makeTarget(from: 'empty' | 'migrated', on = engine): Promise<TestTarget> {
  if (on === 'embedded') {
    const directory = mkdtempSync(join(tmpdir(), 'millbook-db-'))
    mkdirSync(directory, { recursive: true })
    cpSync(join(inject('embeddedTemplates'), from, 'database'), join(directory, 'database'), { recursive: true })
    return {
      target: { engine: 'embedded', directory },
      flags: ['--data', directory],
      drop: async () => rmSync(directory, { recursive: true, force: true }),
    }
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = from === 'empty' ? 'template0' : 'millbook_migrated'
  const admin = async (statement: string) => {
    const database = await connect({ engine: 'server', url: `${inject('serverUrl')}postgres` })
    await database.db.unsafe(statement)
    await database.close()
  }
  await admin(`create database ${name} template ${template}`)
  const url = `${inject('serverUrl')}${name}`
  return {
    target: { engine: 'server', url },
    flags: ['--database', url],
    drop: () => admin(`drop database ${name} with (force)`),
  }
}

export interface TestDatabase extends Database {
  target: Target
  drop(): Promise<void>
}

/** Open it in beforeAll and drop it in afterAll. */
export async function openTestDatabase(from: 'empty' | 'migrated' = 'migrated'): Promise<TestDatabase> {
  const { target, drop } = await makeTarget(from)
  const database = await connect(target)
  return {
    ...database,
    target,
    drop: async () => {
      await database.close()
      await drop()
    },
  }
}

/** The same for one test. */
export async function databaseForThisTest(from: 'empty' | 'migrated' = 'migrated'): Promise<TestDatabase> {
  const database = await openTestDatabase(from)
  onTestFinished(() => database.drop())
  return database
}
