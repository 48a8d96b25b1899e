/** `millbook import` and `millbook verify` as an operator runs them, on both engines. */
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants, getPriority, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect, lockLoads, type Target } from '../../src/db/connect.js'
import { entities } from '../../src/import/entities.js'
import { LEASE_MS } from '../../src/store/versions.js'
import { makeTarget } from '../setup/database.js'
import { folderOf, tempFolder } from '../setup/files.js'
import { askToken, type Demo, run, runOnTerminal, start } from '../setup/program.js'
import { inLongTier, long } from '../setup/tier.js'

const KEY = '0123456789abcdef0123456789abcdef'
const masters = {
  'warehouses.csv': `key,location\n${KEY},Plant\n`,
  'items.csv': 'sku,name,type,unit\nFG1,Ghee,FG,JAR\n',
}
const movements = (count: number) =>
  `movement_no,movement_date,kind,sku,warehouse,qty,val,val_tax\n${Array.from(
    { length: count },
    (_, i) => `M${i},2024-0${1 + (i % 9)}-15,other_receipt,FG1,Plant,1,2,3`,
  ).join('\n')}\n`

/** Rows of a load that takes a while. */
const MANY = long ? 60_000 : 30_000

async function target(engine: 'embedded' | 'server') {
  const made = await makeTarget('migrated', engine)
  onTestFinished(() => made.drop())
  return made
}

/** After the first load of `movements(3000)`. */
async function listsLoads(flags: string[]): Promise<void> {
  const { loads } = JSON.parse((await run(['loads', '--json', ...flags])).stdout)
  expect(loads).toMatchObject([
    { version: 1, actor: userInfo().username, entities: { stock_movements: { new: 3000 } }, warnings: 0 },
  ])
  expect(loads[0].source).toContain('stock_movements.csv')
  expect((await run(['loads', ...flags])).stdout).toMatch(
    /^version {2}at .*from\n1 {8}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}.* stock_movements\.csv\n$/,
  )
}

/** With closings and sums that differ, the findings as JSON; a rebuild waits for a load, a check does not. */
async function rebuildWaits(flags: string[], where: Target): Promise<void> {
  const wrong = await run(['verify', '--json', ...flags])
  expect([wrong.code, JSON.parse(wrong.stdout)]).toEqual([
    1,
    {
      ok: false,
      checked: { movements: 3000, closings: 9, documents: 0 },
      findings: [
        { kind: 'derived', check: 'closings differ from the ledger', count: 2, examples: [] },
        { kind: 'derived', check: 'sums between closings differ from the ledger', count: 2, examples: [] },
      ],
    },
  ])
  const release = await lockLoads(where, () => {})
  const rebuilding = start(['verify', '--rebuild', ...flags])
  await once(rebuilding.process.stderr as Readable, 'data')
  expect(await run(['verify', ...flags])).toMatchObject({ code: 1, stderr: '' })
  await release()
  expect(await rebuilding.ended).toMatchObject({ code: 0, stderr: 'waiting for a load to end\n' })
}

// test/engine runs loads on both engines; in the quick tier, the command runs only on a server.
describe.each(long ? (['embedded', 'server'] as const) : (['server'] as const))('on the %s engine', (engine) => {
  it('after the import returns, no process answers with older data', async ({ skip }) => {
    if (!long) skip('in the quick tier, test/engine/faults.test.ts covers it')
    const { flags } = await target(engine)
    const grants = ['--grants', 'client_credentials', '--rate', '99999999']
    const made = await run(['client', 'create', 'c', ...grants, '--json', ...flags])
    const services = await Promise.all(
      [1, 2].map(async () => {
        const served = start(['serve', '--port', '0', '--json', ...flags])
        const demo: Demo = { ...JSON.parse(made.stdout), ...JSON.parse(await served.firstLine) }
        const { access_token } = (await (await askToken(demo, { grant_type: 'client_credentials' })).json()) as {
          access_token: string
        }
        const versions = async () => {
          const response = await fetch(`${demo.base_url}/v1/warehouse/warehouse-list`, {
            headers: { authorization: `Bearer ${access_token}` },
          })
          expect(response.status).toBe(200)
          return Number(response.headers.get('x-data-version'))
        }
        return versions
      }),
    )
    let stop = false
    const callers = services.map(async (version) => {
      while (!stop) {
        await version()
        await sleep(5)
      }
    })
    for (let i = 1; i <= (long ? 6 : 1); i++) {
      const items = `sku,name,type,unit\nFG1,Ghee ${i},FG,JAR\n`
      const loaded = await run(['import', folderOf({ ...masters, 'items.csv': items }), '--json', ...flags])
      const { data_version } = JSON.parse(loaded.stdout)
      expect(data_version).toBe(i)
      expect(await Promise.all(services.map((version) => version()))).toEqual([i, i])
    }
    stop = true
    await Promise.all(callers)
  })

  it('loads while the service runs, prints its counts, and verify finds nothing', async () => {
    const { flags, target: where } = await target(engine)
    const served = start(['serve', '--port', '0', '--json', ...flags])
    await served.firstLine
    const folder = folderOf({ ...masters, 'stock_movements.csv': movements(3000) })
    const load = start(['import', folder, ...flags])
    const priority = () => getPriority(load.process.pid)
    await expect.poll(priority, { interval: 20 }).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL)
    const loaded = await load.ended
    const endedAt = Date.now()
    expect([loaded.code, loaded.stderr]).toEqual([0, ''])
    expect(loaded.stdout).toMatch(/stock_movements +3000 +0 +0 +0\nthe data has version 1\n$/)
    const again = JSON.parse((await run(['import', folder, '--json', ...flags])).stdout)
    expect(again).toMatchObject({ committed: true, data_version: 1, entities: { stock_movements: { same: 3000 } } })
    if (long) await listsLoads(flags)

    expect(await run(['verify', ...flags])).toMatchObject({
      code: 0,
      stdout: '3,000 movements, 9 closings and 0 documents: everything agrees with the ledger\n',
      stderr: '',
    })
    const database = await connect(where)
    const [version] = await database.db<{ at: Date }[]>`select committed_at as at from data_version`
    expect(endedAt - Number(version?.at), 'the import returns when no process uses the old version').toBeGreaterThan(
      LEASE_MS,
    )
    await database.db`update stock_closing set qty = qty + 1 where day = (select min(day) from stock_closing)`
    await database.db`update stock_flow set val = val + 1 where day = (select min(day) from stock_flow)`
    const told = await run(['verify', ...flags])
    expect(told).toMatchObject({
      code: 1,
      stdout:
        'derived: closings differ from the ledger: 2\nderived: sums between closings differ from the ledger: 2\n' +
        '3,000 movements, 9 closings and 0 documents: 2 of the checks failed\n',
    })
    await database.close()
    if (!long) return
    await rebuildWaits(flags, where)

    // More is issued than is in stock: a note about the company's books.
    const more = 'M-1,2026-01-01,trash,FG1,Plant,1000000,1,1\n'
    const odd = folderOf({ 'stock_movements.csv': movements(0) + more })
    const warned = await run(['import', odd, ...flags])
    expect([warned.code, warned.stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: stock or held stock is below zero, .*: 1\n {2}stock of FG1 in Plant is -/),
    ])
    const noted = await run(['verify', ...flags])
    expect([noted.code, noted.stdout]).toEqual([
      0,
      expect.stringMatching(/^note: stock or held .*: 1\n {2}.*\n3,001 movements.*: nothing is broken; 1 note about/),
    ])
    expect(await run(['verify', '--strict', ...flags])).toMatchObject({ code: 1 })
  })

  it('an error is printed with its file and line, nothing is loaded and the exit code is not 0', async () => {
    const { flags } = await target(engine)
    const bad = folderOf({
      ...masters,
      'stock_movements.csv': movements(3).replace('FG1,Plant,1,', 'FG1,Plant,"1,5",'),
    })
    const { code, stdout, stderr } = await run(['import', bad, ...flags])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      'stock_movements.csv:2 (movement_no M0): qty = "1,5": expected a decimal such as 1234.5 with at most 4 fraction digits, 0 or more\n' +
        '1 error: nothing was loaded\n',
    )
    const dry = await run(['import', folderOf(masters), '--dry-run', ...flags])
    expect(dry.stdout).toContain('a dry run: nothing was loaded')
  })

  inLongTier('of two concurrent loads, the second waits, says so, and then loads', async () => {
    const { flags } = await target(engine)
    const folders = [20_000, 20_001].map((count) => folderOf({ ...masters, 'stock_movements.csv': movements(count) }))
    const results = await Promise.all(folders.map((folder) => run(['import', folder, ...flags])))
    expect(results.map(({ code }) => code)).toEqual([0, 0])
    expect(results.map(({ stderr }) => stderr).sort()).toEqual(['', 'waiting for another load to end\n'])
    expect((await run(['verify', ...flags])).code).toBe(0)
  })

  inLongTier('after kill -9 at any moment of a load, no part of it is stored, and the next load works', async () => {
    const { flags, target: where } = await target(engine)
    await run(['import', folderOf(masters), ...flags])
    const large = folderOf({ 'stock_movements.csv': movements(MANY) })
    for (const delay of long ? [300, 800, 1500, 2000, 3000] : [1200]) {
      const load = start(['import', large, ...flags])
      await sleep(delay)
      load.process.kill('SIGKILL')
      const { signal } = await load.ended
      const database = await connect(where)
      const [row] =
        await database.db`select (select count(*)::int from stock_movement) as rows, version::int from data_version`
      await database.close()
      const loaded = { rows: MANY, version: 2 }
      // All rows or none; all if the process was killed after its commit.
      expect(signal === null ? [loaded] : [{ rows: 0, version: 1 }, loaded]).toContainEqual(row)
      if (row?.['version'] === 2) break // the load ended before the kill
    }
    const last = await run(['import', large, '--read-all', '--json', ...flags])
    expect(JSON.parse(last.stdout)).toMatchObject({ committed: true, data_version: 2, rows: MANY })
    expect((await run(['verify', ...flags])).code).toBe(0)
  })
})

describe('progress', () => {
  const CLEAR = '\r\x1b[K'
  /** The text that stays visible: the part of each line after its last clearing. */
  const seen = (sent: string) =>
    sent
      .split('\r\n')
      .map((line) => line.split(CLEAR).at(-1))
      .join('\n')

  inLongTier(
    'is a bar with the rate on a terminal, never wider than the terminal, and cleared at the end',
    async () => {
      const { flags } = await target('server')
      const folder = folderOf({ ...masters, 'stock_movements.csv': movements(40_000) })
      const { code, sent } = await runOnTerminal(['import', folder, '--dry-run', ...flags], 70)
      expect(code).toBe(0)
      const shown = sent.split(CLEAR)
      expect(shown).toContainEqual(
        expect.stringMatching(/^█+░* [1-9]\d* % stock_movements\.csv: [1-9][\d,]* rows, [1-9][\d,]*\/s/),
      )
      expect(shown).toContainEqual(expect.stringMatching(/^40,002 rows read; merging /))
      for (const line of shown.slice(0, -1)) expect(line.length).toBeLessThan(70)

      const plain = await run(['import', folder, '--dry-run', ...flags])
      expect([plain.code, plain.stderr]).toEqual([0, ''])
      expect(plain.stdout).toMatch(/^entity +new [^█░]*a dry run: nothing was loaded\n$/)
      expect(seen(sent)).toBe(plain.stdout)
    },
  )

  it('is cleared before an error is printed', async () => {
    const { flags } = await target('server')
    const folder = folderOf({ ...masters, 'vendors.csv': 'code,name\nV1,"Vendor\n' })
    const { code, sent } = await runOnTerminal(['import', folder, ...flags], 80)
    expect([code, seen(sent)]).toEqual([1, 'millbook: vendors.csv:2: a quote is opened and never closed\n'])
    expect(sent).toContain('░ ')
  })
})

it('templates name every column and overwrite no file', async () => {
  const folder = join(tempFolder(), 'blank')
  expect((await run(['import', '--template', folder])).code).toBe(0)
  expect(readdirSync(folder).sort()).toEqual(entities.map(({ name }) => `${name}.csv`).sort())
  expect(readFileSync(join(folder, 'bom.csv'), 'utf8')).toBe('product,component,qty,kind,valid_from,valid_to\n')
  writeFileSync(join(folder, 'bom.csv'), 'mine')
  expect((await run(['import', '--template', folder])).code).toBe(1)
  expect(readFileSync(join(folder, 'bom.csv'), 'utf8')).toBe('mine')
})

inLongTier(
  'a service killed during a load of the console stores nothing; after a restart the files must be sent again',
  async () => {
    const { flags, target: where } = await target('server')
    const snapshots = tempFolder()
    const json = async (...args: string[]) => JSON.parse((await run([...args, '--json', ...flags])).stdout)
    const serve = async () => {
      const served = start(['serve', '--port', '0', '--json', '--snapshots-in', snapshots, ...flags])
      return { served, ...(JSON.parse(await served.firstLine) as { base_url: string }) }
    }
    const first = await serve()
    await json('user', 'create', 'asha', '--operator')
    const { url } = await json('user', 'link', 'asha', '--url', first.base_url)
    const headers: Record<string, string> = {}
    const send = (at: string, method: string, path: string, body?: string, type = 'application/json') =>
      fetch(`${at}${path}`, {
        ...{ method, headers: { ...headers, origin: at, ...(body !== undefined && { 'content-type': type }) } },
        ...(body !== undefined && { body }),
      })
    const ticket = JSON.stringify({ ticket: url.split('#open=')[1] })
    const opened = await send(first.base_url, 'POST', '/session/open', ticket)
    headers['cookie'] = (opened.headers.get('set-cookie') ?? '').split(';')[0] as string
    headers['x-csrf-token'] = ((await (await send(first.base_url, 'GET', '/session')).json()) as { csrf: string }).csrf
    const imports = async (at: string, method: string, path = '', body?: string, type?: string) => {
      const response = await send(at, method, `/v1/admin/imports${path}`, body, type)
      return (await response.json()) as { id: string; phase: string; status?: number; detail?: string }
    }
    const { id } = await imports(first.base_url, 'POST')
    for (const [name, text] of Object.entries(masters))
      await imports(first.base_url, 'PUT', `/${id}/files/${name}`, text, 'text/csv')

    // The load waits for another one when the service is killed.
    const release = await lockLoads(where, () => {})
    onTestFinished(release)
    await imports(first.base_url, 'POST', `/${id}/run`, '{"action":"load"}')
    await expect.poll(async () => (await imports(first.base_url, 'GET', `/${id}`)).phase).toBe('waiting')
    first.served.process.kill('SIGKILL')
    await first.served.ended
    const [left = ''] = readdirSync(snapshots)
    expect(readdirSync(join(snapshots, left, 'imports'))).toEqual([id])

    const again = await serve()
    expect(readdirSync(snapshots), 'files of the killed service').not.toContain(left)
    expect(await imports(again.base_url, 'GET', `/${id}`)).toMatchObject({
      status: 404,
      detail:
        'These files are gone: they were not used for an hour, or the service was restarted. A load that had not ended has stored nothing: look at the list of loads, then send them again.',
    })
    await release()
    const database = await connect(where)
    onTestFinished(() => database.close())
    expect(await database.db`select from item`, 'the load has ended with its service').toEqual([])
  },
)
