/**
 * Clients of other makers read OData over HTTP: Apache Olingo (Java), python-odata and odata2ts (TypeScript) read every set, and page
 * through 100,000 records while loads happen. Counts and sums are those of the service's own exact answers.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { missingPython, npm, pip, run, TYPESCRIPT } from '../../scripts/generated-clients/client.mjs'
import { createAppPassword } from '../../src/access/app-passwords.js'
import { openSample } from '../setup/database.js'
import { tempFolder } from '../setup/files.js'
import { entitiesIn, setsIn } from '../setup/odata.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier, long } from '../setup/tier.js'

const MANY = 100_000
const PAGE = 5000
const OLINGO = '5.0.0'
const INSTALLING_MS = 15 * 60_000

const clients = fileURLToPath(new URL('../setup/odata-clients', import.meta.url))
const hasPrograms = (...programs: string[]) =>
  programs.every((program) => spawnSync(program, ['-version']).status === 0)

interface Line {
  set: string
  count: number
  pages?: number
  sums?: Record<string, string>
  records?: unknown[]
  total?: number
  day?: string
}

const linesOf = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

describe('clients of other makers', () => {
  let service: Service
  let base: string
  let credential: [user: string, password: string]
  let sets: string[]
  /** Of every set: its number of records, and the exact sums of its decimals, in units of 10^-12. */
  const expected = new Map<string, { count: number; sums: Map<string, bigint> }>()
  beforeAll(async () => {
    if (!long) return
    // The books end today, so that the sets of this month have records.
    const today = new Date().toISOString().slice(0, 10)
    service = await startService({}, await openSample({ today, scale: 0.1, months: 2 }))
    const { username, token } = service.caller
    const definition = {
      name: 'Stock by warehouse',
      report: 'inventory.item-stock',
      values: { date: today },
      group: 'warehouse',
    }
    await service.call({ method: 'POST', path: '/v1/views', body: definition, token })
    await service.db`
      insert into customer (code, name) select 'M' || lpad(i::text, 7, '0'), 'Customer ' || i from generate_series(1, ${MANY}) i`
    await service.db`update data_version set version = version + 1, committed_at = clock_timestamp()`
    const { appPassword } = await service.db.begin((tx) =>
      createAppPassword(tx, username, 'Clients', { views: null, reports: null }),
    )
    credential = [username, appPassword]
    base = `${await service.app.listen({ port: 0, host: '127.0.0.1' })}/odata`
    const xml = await metadata()
    sets = setsIn(xml)
    for (const set of sets) await measure(set, xml)
    expect(sets).toContain('view_Stock_by_warehouse')
    expect(expected.get('sales_customers')?.count).toBeGreaterThanOrEqual(MANY)
  }, INSTALLING_MS)
  afterAll(() => service?.close())

  const metadata = async (): Promise<string> => (await service.call({ path: '/odata/$metadata' })).body

  async function measure(set: string, xml: string): Promise<void> {
    const headers = {
      authorization: `Bearer ${service.caller.token}`,
      accept: 'application/json;IEEE754Compatible=true',
    }
    const entity = entitiesIn(xml).get(set.replace(/^view_.*/, 'view_Stock_by_warehouse'))
    const decimals = entity?.properties.filter(({ type }) => type === 'Edm.Decimal').map(({ name }) => name) ?? []
    const sums = new Map<string, bigint>()
    let count = 0
    for (let next: string | undefined = `${base}/${set}`; next !== undefined; ) {
      const page = (await (await fetch(next, { headers })).json()) as {
        value: Record<string, string>[]
        '@odata.nextLink'?: string
      }
      count += page.value.length
      for (const record of page.value)
        for (const name of decimals)
          if (record[name] !== null) sums.set(name, (sums.get(name) ?? 0n) + unitsOf(record[name] as string))
      next = page['@odata.nextLink']
    }
    expected.set(set, { count, sums })
  }

  /** The loads of an earlier test are changes too. */
  const measureChanges = async (): Promise<void> => measure('history_changes', await metadata())

  /** Exact sums; `close` for a client that reads decimals by way of floating point. */
  function expectSame(lines: readonly Line[], names: readonly string[], how: 'exact' | 'close' | 'counts'): void {
    const seen = lines.filter(({ set }) => names.includes(set))
    expect(seen.map(({ set }) => set).sort()).toEqual([...names].sort())
    for (const { set, count, sums = {} } of seen) {
      const wanted = expected.get(set)
      expect([set, count]).toEqual([set, wanted?.count])
      if (how === 'counts') continue
      for (const [name, sum] of wanted?.sums ?? []) {
        if (how === 'exact') expect([set, name, unitsOf(sums[name] ?? '0')]).toEqual([set, name, sum])
        else
          expect(Math.abs(Number(unitsOf(sums[name] ?? '0') - sum)), `${set} ${name}`).toBeLessThanOrEqual(
            Math.abs(Number(sum)) * 1e-9,
          )
      }
    }
  }

  /** Works while a load changes every customer, again and again. */
  async function whileLoading<T>(work: () => Promise<T>): Promise<{ result: T; loads: number }> {
    let ended = false
    let loads = 0
    const loading = (async () => {
      while (!ended) {
        loads++
        await service.db.begin(async (tx) => {
          await tx`update customer set billing_city = ${`City ${loads}`} where code < 'M0000100'`
          await tx`update data_version set version = version + 1, committed_at = clock_timestamp()`
        })
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
    })()
    try {
      return { result: await work(), loads }
    } finally {
      ended = true
      await loading
    }
  }

  inLongTier(
    'Apache Olingo (skipped without mvn and a JDK)',
    async (context) => {
      if (!hasPrograms('mvn', 'java', 'javac')) context.skip('there is no mvn or no JDK')
      await measureChanges()
      const folder = tempFolder()
      const dependency = (group: string, name: string, version: string) =>
        `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`
      writeFileSync(
        join(folder, 'pom.xml'),
        `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>clients</groupId><artifactId>clients</artifactId><version>1</version><dependencies>${dependency('org.apache.olingo', 'odata-client-core', OLINGO)}${dependency('org.slf4j', 'slf4j-nop', '1.7.36')}</dependencies></project>`,
      )
      await run(folder, 'mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'])
      await run(folder, 'javac', ['-cp', 'lib/*', '-d', '.', join(clients, 'Olingo.java')])
      const read = async (...names: string[]) =>
        linesOf(await run(folder, 'java', ['-cp', '.:lib/*', 'Olingo', base, ...credential, ...names]))
      expectSame(await read(), sets, 'exact')
      const { result, loads } = await whileLoading(() => read('sales_customers'))
      expectSame(result, ['sales_customers'], 'exact')
      expect(result[0]?.pages).toBe(Math.ceil((expected.get('sales_customers')?.count ?? 0) / PAGE))
      expect(loads).toBeGreaterThan(1)
    },
    INSTALLING_MS,
  )

  inLongTier(
    'python-odata (skipped without python3 and venv)',
    async (context) => {
      const missing = missingPython()
      if (missing !== undefined) context.skip(missing)
      await measureChanges()
      const python = await pip(tempFolder(), ['python-odata==0.8.1'])
      const read = async (...names: string[]) =>
        linesOf(await python('python', join(clients, 'python_odata.py'), `${base}/`, ...credential, ...names))
      const lines = await read()
      // It reads the service document, which has each view once.
      const named = sets.filter((name) => !name.startsWith('view_') || name === 'view_Stock_by_warehouse')
      expectSame(lines, named, 'close')
      expect(lines.at(-1)).toEqual({ set: 'query', records: ['C9012', 'C9011'] })
      const { result, loads } = await whileLoading(() => read('sales_customers'))
      expectSame(result, ['sales_customers'], 'close')
      expect(loads).toBeGreaterThan(1)
    },
    INSTALLING_MS,
  )

  inLongTier(
    'odata2ts',
    async () => {
      await measureChanges()
      const folder = tempFolder()
      const program = await npm(folder, ['@odata2ts/odata2ts@0.34.0', '@odata2ts/http-client-fetch@0.6.2', TYPESCRIPT])
      const xml = (await service.call({ path: '/odata/$metadata' })).body
      writeFileSync(join(folder, 'metadata.xml'), xml)
      writeFileSync(join(folder, 'package.json'), '{ "private": true }') // the generated code imports files without extensions
      writeFileSync(join(folder, 'tsconfig.json'), '{}')
      mkdirSync(join(folder, 'generated'))
      await program(
        'odata2ts',
        ...['-s', 'metadata.xml', '-o', 'generated', '-m', 'all', '-e', 'ts', '--service-name', 'millbook'],
      )
      copyFileSync(join(clients, 'odata2ts.ts.txt'), join(folder, 'client.ts'))
      await program(
        'tsc',
        ...[
          '--strict',
          '--target',
          'es2022',
          '--lib',
          'es2022,dom',
          '--module',
          'commonjs',
          '--moduleResolution',
          'node10',
        ],
        ...['--skipLibCheck', '--outDir', 'js', 'client.ts'],
      )
      const days = ['2020-01-01', new Date().toISOString().slice(0, 10)]
      const read = async (...names: string[]) =>
        linesOf(await run(folder, process.execPath, ['js/client.js', base, ...credential, ...days, ...names]))
      const named = sets.filter((name) => !name.startsWith('view_'))
      const lines = await read(...named)
      expectSame(lines, named, 'counts')
      const [query, called] = lines.slice(-2)
      expect(query).toMatchObject({ set: 'query', records: [{ code: 'C9012' }, { code: 'C9011' }] })
      expect(called).toEqual({
        set: 'function',
        count: expect.any(Number),
        total: expect.any(Number),
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      })
      const { result, loads } = await whileLoading(() => read('sales_customers'))
      expectSame(result, ['sales_customers'], 'counts')
      expect(loads).toBeGreaterThan(1)
    },
    INSTALLING_MS,
  )
})

/** A decimal in units of 10^-12. */
function unitsOf(text: string): bigint {
  const [, minus = '', whole = '0', digits = ''] = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(text) ?? []
  return BigInt(`${minus}${whole}${digits.padEnd(12, '0')}`)
}
