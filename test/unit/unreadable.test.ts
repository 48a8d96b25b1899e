/** Commands on a data directory that this user may not read say so, and do not suggest to create a database. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeProgram } from '../../src/cli/program.js'
import { examine } from '../../src/runtime/doctor.js'
import type { ServeSettings } from '../../src/runtime/settings.js'
import { tempFolder } from '../setup/files.js'

/** Root may read everything. */
function asNobody(): void {
  if (process.geteuid?.() !== 0) return
  process.seteuid?.(65_534)
  onTestFinished(() => process.seteuid?.(0))
}

it('verify and doctor say that they may not read the directory', async () => {
  const directory = tempFolder()
  mkdirSync(join(directory, 'database'))
  writeFileSync(join(directory, 'database', 'PG_VERSION'), '17')
  chmodSync(directory, 0)
  onTestFinished(() => chmodSync(directory, 0o700))
  asNobody()
  const verifying = (await makeProgram(true, ['verify'])).parseAsync(['verify', '--data', directory], { from: 'user' })
  await expect(verifying).rejects.toThrow(
    `this user may not read the database in ${directory}: run the command as the owner of the directory`,
  )
  const settings = { host: '127.0.0.1', workers: 1, readFrom: [], snapshotsIn: tmpdir(), tls: undefined }
  const found = []
  for await (const finding of examine({ target: { directory }, settings: settings as unknown as ServeSettings }))
    if (finding.state === 'problem') found.push(finding)
  expect(found).toEqual([
    {
      ...{ check: 'data directory', state: 'problem', found: `this user may not read the database in ${directory}` },
      advice: 'run millbook doctor as the owner of the directory',
    },
  ])
})
