/** Runs the built command line in a separate process, like a user. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { findScript } from '../../scripts/test-needs.mjs'
import type { Credentials } from './service.js'

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

export interface Run {
  process: ChildProcess
  /** Settles when the process has ended. */
  ended: Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>
  /** Settles with the first line on stdout; fails if the process ends before. */
  firstLine: Promise<string>
  /** Settles with all of stdout so far, once it contains the text. */
  printed(text: string): Promise<string>
}

export function start(
  args: string[],
  {
    input,
    env = {},
    plain = false,
    under = [],
    cli = CLI,
  }: { input?: string | Buffer; env?: Record<string, string>; plain?: boolean; under?: string[]; cli?: string } = {},
): Run {
  // One worker unless a test needs several, because each takes time to start.
  const ours = { ...process.env, MILLBOOK_WORKERS: '1', MILLBOOK_METRICS_PORT: 'off', ...env }
  // Without optimized code, unless `plain`: short runs end before it would be compiled.
  const quick = plain ? [] : ['--liftoff-only']
  const [program, ...words] = [...under, process.execPath, ...quick, cli, ...args] as [string, ...string[]]
  const child = spawn(program, words, { env: ours, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end(input)
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended: Run['ended'] = new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  )
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')))
    })
    void ended.then(({ code }) => reject(new Error(`ended with ${code} before it printed a line: ${stderr}`)))
  })
  firstLine.catch(() => {})
  const printed = async (text: string) => {
    while (!stdout.includes(text)) await Promise.race([once(child.stdout, 'data'), endedEarly])
    return stdout
  }
  const endedEarly = ended.then(() => Promise.reject(new Error(`ended before it printed that: ${stderr}`)))
  endedEarly.catch(() => {})
  return { process: child, ended, firstLine, printed }
}

export const run = (args: string[], options?: Parameters<typeof start>[1]) => start(args, options).ended

/** Starts the program on a terminal of this width, and types `typed`. */
export function startOnTerminal(args: string[], columns = 80, typed = '') {
  const script = findScript()
  if (script === undefined) throw new Error('no script found: run node scripts/test-needs.mjs')
  const words = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  const command = `stty cols ${columns}; ${words.join(' ')}`
  const flags =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null']
  const env = { ...process.env, MILLBOOK_METRICS_PORT: 'off' }
  const child = spawn(script, flags, { stdio: ['pipe', 'pipe', 'inherit'], env })
  child.stdin.write(typed)
  const close = () => void child.kill('SIGKILL')
  onTestFinished(close)
  let sent = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    sent += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    ended,
    close,
    /** Everything written to the terminal. */
    sent: () => sent,
    /** Settles when the terminal shows this text. */
    async printed(text: RegExp): Promise<void> {
      while (!text.test(sent)) {
        const more = once(child.stdout, 'data')
        if ((await Promise.race([more, ended.then(() => 'ended')])) === 'ended') throw new Error(`it ended: ${sent}`)
      }
    },
  }
}

/** Runs the program on a terminal to its end. */
export async function runOnTerminal(
  args: string[],
  columns: number,
  typed = '',
): Promise<{ code: number | null; sent: string }> {
  const terminal = startOnTerminal(args, columns, typed)
  return { code: await terminal.ended, sent: terminal.sent() }
}

export interface Demo extends Credentials {
  base_url: string
}

/** Starts a demo with a small sample. */
export async function startDemo(
  directory: string,
  options?: Parameters<typeof start>[1],
): Promise<{ run: Run; demo: Demo }> {
  const small = ['--scale', '0.1', '--months', '1']
  const started = start(['demo', '--port', '0', '--data', directory, '--json', ...small], options)
  return { run: started, demo: JSON.parse(await started.firstLine) }
}

export async function askToken(demo: Demo, body: object): Promise<Response> {
  const { client_id, client_secret } = demo
  return fetch(`${demo.base_url}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id, client_secret, ...body }),
  })
}

/** A refresh token: one written row that a test can look for later. */
export async function newRefreshToken(demo: Demo): Promise<string> {
  const { username, password } = demo
  const answer = await askToken(demo, { grant_type: 'password', username, password })
  if (!answer.ok) throw new Error(await answer.text())
  return ((await answer.json()) as { refresh_token: string }).refresh_token
}

export const refreshWorks = async (demo: Demo, refresh_token: string): Promise<boolean> =>
  (await askToken(demo, { grant_type: 'refresh_token', refresh_token })).ok
