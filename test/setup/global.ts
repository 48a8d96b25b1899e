/**
 * Starts a real PostgreSQL server once per run, for the first project that needs it, and makes on both engines an empty and a migrated
 * database to copy from.
 */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../scripts/postgres.mjs'
import { connect } from '../../src/db/connect.js'
import { migrate } from '../../src/db/migrate.js'
import { clusterDatabase, clusterIsGiven, dropTemplates, makeTemplate } from './citus.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the test server, without a database's name at the end. */
    serverUrl: string
    /** Folders with embedded databases to copy: `empty` and `migrated`. */
    embeddedTemplates: string
    /** The name of a migrated database on the nodes of the cluster of MILLBOOK_CITUS_URL, and the beginning of those of samples. */
    clusterTemplate: string
  }
}

export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (vitest.getProvidedContext().serverUrl !== undefined) return undefined // another project of this run has started it
  const folder = mkdtempSync(join(tmpdir(), 'millbook-test-'))
  const [server, templates] = await Promise.all([startServer(), makeTemplates(folder)])
  await makeServerTemplate(server.url)
  vitest.provide('serverUrl', server.url)
  vitest.provide('embeddedTemplates', templates)
  const clusterTemplate = clusterIsGiven ? await makeClusterTemplate() : ''
  vitest.provide('clusterTemplate', clusterTemplate)
  return async () => {
    await server.stop()
    if (clusterIsGiven) await dropTemplates(clusterTemplate)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function makeTemplates(folder: string): Promise<string> {
  setFlagsFromString('--liftoff-only') // the work ends before optimized code would be compiled
  const [empty, migrated] = ['empty', 'migrated'].map((name) => join(folder, name)) as [string, string]
  await (await connect({ directory: empty })).close()
  cpSync(empty, migrated, { recursive: true })
  const database = await connect({ directory: migrated })
  await migrate(database.db)
  await database.close()
  return folder
}

async function makeServerTemplate(url: string): Promise<void> {
  const admin = await connect({ url: `${url}postgres` })
  await admin.db`create database millbook_migrated template template0`
  await admin.close()
  const template = await connect({ url: `${url}millbook_migrated` })
  await migrate(template.db)
  await template.close()
}

async function makeClusterTemplate(): Promise<string> {
  const name = `template_${randomBytes(4).toString('hex')}`
  const { target, close } = await clusterDatabase()
  await close()
  await makeTemplate((target as { url: string }).url, name)
  return name
}

/** Uses a linguistic collation, because the order of records must not depend on the database's collation. */
const startServer = () =>
  startPostgres({
    initdb: ['--locale-provider=icu', '--icu-locale=en-US'],
    settings: { ...fast, max_connections: 300 },
    ...(inMemory() && { under: MEMORY }),
  })

/** The data need not survive a crash of the machine, and no test waits for autovacuum. */
const fast = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' },
}

const MEMORY = '/dev/shm'

/** Making and dropping a database takes half the time in memory; containers often have only 64 MB. */
function inMemory(): boolean {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > 6 * 2 ** 30
}
