/** Every command of docs/guide.md works, one after another, and prints what the guide shows, on the day that the guide was written. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../setup/files.js'
import { CLI, start } from '../setup/program.js'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
/** When the outputs of the guide were printed: the sample ends on this day. */
const WRITTEN = '2026-11-18T16:29:00+05:30'
const URL_SHOWN = 'http://127.0.0.1:36521'

/** Texts that differ from run to run. */
const VARYING: readonly [RegExp, string][] = [
  [/snapshot=\d+-\d+/g, 'snapshot='],
  [/(ratelimit: "client";)r=\d+;t=\d+/g, '$1'],
  [/"((?:access|refresh)_token)":"[^"]+"/g, '$1'],
  [/;dur=[\d.]+/g, ';dur='],
  [/\b[0-9a-f]{32}\b/g, 'token'],
  [/W\/"[^"]+"/g, 'etag'],
  [/invoices-\d{8}T\d{6}/g, 'invoices-now'],
  [/"request_id":"[^"]+"/g, 'request_id'],
]

/** The parts of a shown output between its ellipses. White space and lines are free. */
const partsOf = (shown: string) => bare(shown).split('…').filter(Boolean)
const bare = (output: string) =>
  VARYING.reduce((all, [pattern, by]) => all.replace(pattern, by), output).replaceAll(/\s/g, '')

/** The first part of a shown output that was not printed after the parts before it. */
function missing(shown: string, printed: string): string | undefined {
  let rest = bare(printed)
  for (const part of partsOf(shown)) {
    const at = rest.indexOf(part)
    if (at < 0) return part
    rest = rest.slice(at + part.length)
  }
  return undefined
}

it('the commands and the program of docs/guide.md print what it shows', async () => {
  const guide = readFileSync(join(PROJECT, 'docs/guide.md'), 'utf8')
  const blocks = [
    ...guide.matchAll(/^```(sh|js)\n(.*?)^```\n(?:\n[^\n]*, shortened:\n)?(?:\n```(?:json)?\n(.*?)^```\n)?/gms),
  ].map(([, language, commands = '', shown]) => ({ language, commands, shown }))
  expect(blocks.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(15)
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(join(PROJECT, 'packages/client'), join(cwd, 'node_modules', 'millbook-client'))
  const script = (name: string, lines: string) =>
    writeFileSync(join(cwd, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  script('millbook', `exec '${process.execPath}' --liftoff-only '${CLI}' "$@"`)
  // The system's own clock differs.
  script(
    'date',
    `exec '${process.execPath}' -p 'const [y, m, d, h, i, s] = new Date(Date.now() + 19_800_000).toISOString().split(/\\D/)
    process.argv[1].replace("+", "").replace("%Y", y).replace("%m", m).replace("%d", d).replace("%H", h).replace("%M", i).replace("%S", s)' "$@"`,
  )
  const clock = {
    NODE_OPTIONS: `--import ${new URL('../setup/fixed-clock.mjs', import.meta.url)}`,
    FIXED_CLOCK: WRITTEN,
    FIXED_CLOCK_FROM: String(Date.now()),
  }
  const small = ['--scale', '0.2', '--months', '2']
  const demo = start(['demo', '--port', '0', '--data', join(cwd, 'trial'), '--json', ...small], { env: clock })
  const { base_url, client_id, client_secret, username, password } = JSON.parse(await demo.firstLine)
  const env = {
    ...clock,
    PATH: `${cwd}:${process.env['PATH']}`,
    XDG_CONFIG_HOME: join(cwd, 'config'),
    ...{ MILLBOOK_URL: base_url, MILLBOOK_CLIENT_ID: client_id, MILLBOOK_CLIENT_SECRET: client_secret },
    ...{ MILLBOOK_USERNAME: username, MILLBOOK_PASSWORD: password },
  }
  const lines = blocks.map(({ language, commands }, at) => {
    if (language === 'sh') return commands
    writeFileSync(join(cwd, `program-${at}.mjs`), commands)
    return `'${process.execPath}' program-${at}.mjs\n`
  })
  const child = spawn('sh', ['-euc', `exec 2>&1\n${lines.join("printf '\\036'\n")}`], {
    ...{ cwd, env, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  const ended = once(child, 'close')
  const printed = (await text(child.stdout))
    .replaceAll(join(cwd, 'config'), '~/.config')
    .replaceAll(`${cwd}/`, '')
    .replaceAll(base_url, URL_SHOWN)
    .split('\x1e')
  expect([await ended, printed.length, printed.at(-1)]).toEqual([[0, null], blocks.length, printed.at(-1)])
  const stale = blocks.flatMap(({ commands, shown }, i) => {
    const part = shown === undefined ? undefined : missing(shown, printed[i] as string)
    return part === undefined ? [] : [{ commands, missing: part, printed: printed[i]?.slice(0, 4000) }]
  })
  expect(stale).toEqual([])
  demo.process.kill('SIGTERM')
  await demo.ended
})
