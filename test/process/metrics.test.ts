/** /metrics of a service with several workers. */
import { expect, it, onTestFinished } from 'vitest'
import { makeTarget } from '../setup/database.js'
import { run, start } from '../setup/program.js'

const valueAt = (text: string, line: RegExp) => Number(new RegExp(`^${line.source} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)

it('counts the requests of all workers together, also of a dead worker', async () => {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(drop)
  const env = { MILLBOOK_WORKERS: '2', MILLBOOK_METRICS_PORT: '0' }
  const service = start(['serve', '--port', '0', '--json', ...flags], { env })
  let log = ''
  service.process.stderr?.on('data', (text) => {
    log += text
  })
  /** The processes of workers that were ready at some time. */
  const workers = () => [...log.matchAll(/"pid":(\d+)[^\n]*"msg":"worker is ready"/g)].map(([, pid]) => Number(pid))
  const { base_url, metrics_url } = JSON.parse(await service.firstLine) as { base_url: string; metrics_url: string }
  const scrape = async () => {
    const response = await fetch(metrics_url)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    return await response.text()
  }
  const asked = /millbook_requests_total\{endpoint="\/healthz",status="200",source="none"\}/
  for (let i = 0; i < 20; i++) await fetch(`${base_url}/healthz`, { headers: { connection: 'close' } })
  await expect.poll(async () => valueAt(await scrape(), asked)).toBe(20)
  const text = await scrape()
  expect(valueAt(text, /millbook_data_version/)).toBe(0)
  // Counters exist before their first event.
  for (const line of ['statements_cancelled_total{reason="silent"}', 'snapshot_disk_failures_total'])
    expect(text).toContain(`\nmillbook_${line} 0\n`)
  expect(text).toMatch(/^millbook_event_loop_delay_seconds\{statistic="p99"\} [\d.e-]+$/m)
  // After killing one worker, its counts stay.
  process.kill(workers()[0] as number, 'SIGKILL')
  await expect.poll(() => workers().length).toBe(3)
  expect(valueAt(await scrape(), asked)).toBeGreaterThanOrEqual(20)
  expect((await fetch(`${metrics_url.replace('/metrics', '')}/other`)).status).toBe(404)
  expect((await fetch(metrics_url, { method: 'POST' })).status).toBe(405)
  service.process.kill('SIGTERM')
  expect(await service.ended).toMatchObject({ code: 0 })
})

it('says what to do if its port is in use', async () => {
  const { flags, drop } = await makeTarget('migrated', 'server')
  onTestFinished(drop)
  const first = start(['serve', '--port', '0', '--json', ...flags], { env: { MILLBOOK_METRICS_PORT: '0' } })
  const { metrics_url } = JSON.parse(await first.firstLine) as { metrics_url: string }
  const { port } = new URL(metrics_url)
  const second = await run(['serve', '--port', '0', '--metrics-port', port, ...flags])
  expect(second.code).toBe(1)
  expect(second.stderr).toContain(`cannot serve metrics on port ${port} of 127.0.0.1: it is in use; choose another`)
})
