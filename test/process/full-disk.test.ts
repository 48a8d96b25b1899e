/** A service whose disk for computed reports is full gives the same answers as one with space. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { reports } from '../../src/reports/index.js'
import { makeTarget } from '../setup/database.js'
import { askToken, type Demo, startDemo } from '../setup/program.js'
import { requestsFor } from '../setup/requests.js'
import { onSmallDisk, smallDisksWork } from '../setup/small-disk.js'

/** Requests for every report, whole and by pages. */
async function answers(demo: Demo): Promise<{ asked: string; status: number; body: string }[]> {
  const { access_token } = (await (await askToken(demo, { grant_type: 'client_credentials' })).json()) as {
    access_token: string
  }
  const ask = async ({ path, method, body }: { path: string; method: string; body: object }) => {
    const url = new URL(demo.base_url + path)
    if (method === 'GET') for (const [name, value] of Object.entries(body)) url.searchParams.set(name, String(value))
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      asked: `${path} ${JSON.stringify(body)}`,
      status: response.status,
      body: text.replaceAll(demo.base_url, ''),
    }
  }
  const today = new Date().toISOString().slice(0, 10)
  const asked = reports.flatMap((report) =>
    requestsFor(report, { from_date: '2026-01-01', to_date: today })
      .slice(0, 1)
      .flatMap((body) =>
        ['', '?page=1&per-page=20', '?page=2&per-page=20'].map((query) => ({
          ...{ path: report.path + query, method: report.method, body },
        })),
      ),
  )
  const found: Awaited<ReturnType<typeof answers>> = []
  for (let i = 0; i < asked.length; i += 6) found.push(...(await Promise.all(asked.slice(i, i + 6).map(ask))))
  return found
}

it('reports are answered without files', async ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'millbook-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (!smallDisksWork(folder)) skip('this system does not let a test mount a small disk')
  const { target, drop } = await makeTarget('empty', 'embedded')
  onTestFinished(drop)
  const { directory } = target as { directory: string }
  const roomy = await startDemo(directory)
  const expected = await answers(roomy.demo)
  roomy.run.process.kill('SIGTERM')
  await roomy.run.ended
  const full = await startDemo(directory, {
    under: onSmallDisk(folder, 100),
    env: { MILLBOOK_SNAPSHOTS_IN: folder },
  })
  const found = await answers(full.demo)
  expect(found.filter(({ status }) => status !== 200)).toEqual([])
  expect(found).toEqual(expected)
  full.run.process.kill('SIGTERM')
  expect((await full.run.ended).stderr).toContain('ENOSPC')
})
