/** Every command of docs/insight.md prints exactly what the page shows, against a demo. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { tempFolder } from '../setup/files.js'
import { CLI, startDemo } from '../setup/program.js'

it('the commands of docs/insight.md print what it shows', async () => {
  const page = readFileSync(new URL('../../docs/insight.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?/gms)].map(
    ([, commands = '', shown]) => ({
      ...{ commands, shown },
    }),
  )
  expect(blocks.length).toBeGreaterThan(10)
  const cwd = tempFolder()
  const { run, demo } = await startDemo(join(cwd, 'data'))
  writeFileSync(join(cwd, 'millbook'), `#!/bin/sh\nexec '${process.execPath}' --liftoff-only '${CLI}' "$@"\n`, {
    mode: 0o755,
  })
  const child = spawn('sh', ['-euc', `exec 2>&1\n${blocks.map(({ commands }) => commands).join("printf '\\036'\n")}`], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: `${cwd}:${process.env['PATH']}`,
      XDG_CONFIG_HOME: join(cwd, 'config'),
      MILLBOOK_URL: demo.base_url,
      MILLBOOK_CLIENT_ID: demo.client_id,
      MILLBOOK_CLIENT_SECRET: demo.client_secret,
      MILLBOOK_USERNAME: demo.username,
      MILLBOOK_PASSWORD: demo.password,
    },
  })
  const ended = once(child, 'close')
  const printed = (await text(child.stdout)).replaceAll(`${cwd}/`, '').split('\x1e')
  expect([await ended, printed.length]).toEqual([[0, null], blocks.length])
  for (const [i, { commands, shown }] of blocks.entries())
    if (shown !== undefined) expect([commands, printed[i]]).toEqual([commands, shown])
  run.process.kill('SIGTERM')
  await run.ended
})
