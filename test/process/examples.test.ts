/** The examples of every --help work when they are typed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { newSecret } from '../../src/access/secrets.js'
import { createUser, deleteUser } from '../../src/access/users.js'
import { makeProgram, withSubcommands } from '../../src/cli/program.js'
import { connect } from '../../src/db/connect.js'
import { createView } from '../../src/views/saved.js'
import { makeTarget } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { examplesOf } from '../setup/help.js'
import { CLI } from '../setup/program.js'

/** Saves the view that the examples name; the returned function deletes its owner, whom a later example creates. */
async function saveView(url: string): Promise<() => Promise<void>> {
  const database = await connect({ url })
  await database.db.begin(async (tx) => {
    await createUser(tx, 'asha', newSecret())
    await createView(
      tx,
      'asha',
      {
        ...{ name: 'Sales by month', report: 'sales.invoices', period: 'last-12-months' },
        ...{ group: 'month(invoice_date)', measures: 'sum(total_amt)' },
      },
      {},
    )
  })
  return async () => {
    await database.db.begin((tx) => deleteUser(tx, 'asha'))
    await database.close()
  }
}

it('the examples in the help of all commands work, one after another', async () => {
  const { flags, drop } = await makeTarget('empty', 'server')
  onTestFinished(drop)
  const cwd = tempFolder()
  writeFileSync(join(cwd, 'millbook'), `#!/bin/sh\nexec '${process.execPath}' --liftoff-only '${CLI}' "$@"\n`, {
    mode: 0o755,
  })
  // The demo copies this database, which saves some seconds.
  const begun = await makeTarget('empty', 'embedded')
  onTestFinished(begun.drop)
  cpSync((begun.target as { directory: string }).directory, join(cwd, 'trial'), { recursive: true })
  const env = {
    ...process.env,
    PATH: `${cwd}:${process.env['PATH']}`,
    MILLBOOK_DATABASE_URL: flags[1] as string,
    XDG_CONFIG_HOME: join(cwd, 'config'),
    MILLBOOK_WORKERS: '1',
  }
  for (const example of withSubcommands(await makeProgram()).flatMap(examplesOf)) {
    const serves = /millbook (serve|demo)/.test(example) && !/--print-config|--files/.test(example)
    const forget = /millbook report view/.test(example) ? await saveView(flags[1] as string) : undefined
    const line = serves ? example.replace(/millbook .*/, 'exec $& --port 0 --json') : example
    const child = spawn('sh', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const stderr = text(child.stderr)
    if (serves) child.stdout.once('data', () => child.kill('SIGTERM'))
    else child.stdout.resume()
    const [code] = await once(child, 'close')
    await forget?.()
    expect([example, code, code === 0 ? '' : await stderr]).toEqual([example, 0, ''])
  }
})
