/** `millbook mcp` as an assistant starts it, and /mcp under the conformance suite of the protocol. */
import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { callsBy } from '../setup/assistant.js'
import { tempFolder } from '../setup/files.js'
import { CLI, type Demo, run, startDemo } from '../setup/program.js'

/** Scenarios that need no tool, prompt or resource made for the test. */
const SCENARIOS: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'server-session-lifecycle'],
    ...['server-sse-multiple-streams', 'server-sse-polling'],
  ],
  '2026-07-28': [
    ...['tools-list', 'dns-rebinding-protection', 'http-header-validation', 'server-sse-multiple-streams'],
    ...['sep-2164-resource-not-found', 'input-required-result-unsupported-methods'],
    ...['input-required-result-ignore-extra-params', 'input-required-result-validate-input'],
  ],
}
/** Of these, only what fails for want of such a tool may fail. */
const IN_PART: Readonly<Record<string, RegExp>> = {
  'server-stateless': /^Not testable: server does not list the diagnostic tool/,
  caching: /^(prompts|resources)\/(templates\/)?list returned JSON-RPC error -32601/,
}
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

it('an assistant starts it on a data directory, and on a service with the credentials of the environment', async () => {
  const data = join(tempFolder(), 'data')
  const { run: served, demo } = await startDemo(data)
  const service = {
    ...{ MILLBOOK_URL: demo.base_url, MILLBOOK_CLIENT_ID: demo.client_id, MILLBOOK_CLIENT_SECRET: demo.client_secret },
    ...{ MILLBOOK_USERNAME: demo.username, MILLBOOK_PASSWORD: demo.password },
  }
  const remote = await callsOn(['mcp'], 'auto', service)
  const asked = { report: 'sales.invoices', values: { period: 'last-month' }, limit: 5 }
  const far = await remote.call('run_report', asked)
  expect(far.console).toMatch(demo.base_url)
  const busy = await (await callsOn(['mcp', '--data', data], 'legacy')).fail('run_report', asked)
  expect(busy.error).toMatch(/in use|already/)
  served.process.kill('SIGTERM')
  await served.ended
  for (const mode of ['auto', 'legacy'] as const) {
    const near = await callsOn(['mcp', '--data', data], mode)
    expect((await near.client.listTools()).tools).toHaveLength(5)
    const { console, ...same } = far
    void console
    expect(await near.call('run_report', asked)).toEqual(same)
    await near.client.close()
  }
  // A user's views and rights; an unknown user is an error of the call.
  const stranger = await callsOn(['mcp', '--data', data, '--user', 'nobody'], 'legacy')
  expect((await stranger.fail('find_reports', { question: 'stock' })).error).toContain('there is no user nobody')
  await stranger.client.close()
  expect(await run(['mcp', '--data', join(data, 'none')])).toMatchObject({ code: 1, stdout: '' })
  expect(await run(['mcp', '--profile', 'x', '--data', data])).toMatchObject({ code: 1, stdout: '' })
})

async function callsOn(args: string[], mode: 'auto' | 'legacy', env: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const { PATH = '', HOME = '' } = process.env
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, ...args],
      env: { PATH, HOME, ...env },
      stderr: 'ignore',
    }),
  )
  onTestFinished(() => client.close())
  return callsBy(client)
}

it('/mcp passes the conformance suite for both revisions', async () => {
  const { demo } = await startDemo(join(tempFolder(), 'data'))
  const url = await proxyTo(demo, await tokenOf(demo))
  for (const [revision, scenarios] of Object.entries(SCENARIOS))
    for (const scenario of scenarios)
      expect([revision, scenario, failuresIn(await conform(url, scenario, revision))]).toEqual([revision, scenario, []])
  for (const [scenario, mayFail] of Object.entries(IN_PART)) {
    const failures = failuresIn(await conform(url, scenario, '2026-07-28'))
    expect([scenario, failures.filter((reason) => !mayFail.test(reason))]).toEqual([scenario, []])
  }
  const metadata = ['--scenario', 'authorization-server-metadata-endpoint', '--verbose']
  expect(failuresIn(await suite('authorization', '--url', demo.base_url, ...metadata))).toEqual([])
})

const conform = (url: string, scenario: string, revision: string) =>
  suite('server', '--url', url, '--scenario', scenario, '--spec-version', revision, '--verbose')

/** Runs the suite on Node 24, which it needs; npm fetches both. */
async function suite(...args: string[]): Promise<string> {
  const node = `--package=node-${process.platform}-${process.arch}@24`
  const command = ['--yes', node, `--package=${SUITE}`, '--', 'conformance', ...args]
  const { stdout } = await promisify(execFile)('npx', command, { cwd: tempFolder(), maxBuffer: 2 ** 26 }).catch(
    (error: { stdout?: string }) => {
      if (error.stdout === undefined) throw error
      return { stdout: error.stdout } // some checks failed
    },
  )
  return stdout
}

/** The reasons of failed checks. The suite prints lines for people around its JSON. */
function failuresIn(printed: string): string[] {
  const found = /^\[\n.*?^\]$/ms.exec(printed)
  if (found === null) throw new Error(`the suite printed no checks: ${printed}`)
  const checks = JSON.parse(found[0]) as { id: string; status: string; errorMessage?: string }[]
  expect(checks.length, printed).toBeGreaterThan(0)
  return checks.filter(({ status }) => status === 'FAILURE').map(({ id, errorMessage }) => errorMessage ?? id)
}

async function tokenOf({ base_url, client_id, client_secret, username, password }: Demo): Promise<string> {
  const response = await fetch(`${base_url}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ grant_type: 'password', client_id, client_secret, username, password },
      resource: `${base_url}/mcp`,
    }),
  })
  return ((await response.json()) as { access_token: string }).access_token
}

/** The suite sends no token: this proxy adds one, and passes everything else on as it is. */
async function proxyTo({ base_url }: Demo, token: string): Promise<string> {
  const { hostname, port } = new URL(base_url)
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const sent = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(outgoing)
    })
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}/mcp`
}
