/** Metrics: counting, the text for Prometheus, and the names in dashboard, alerts and docs. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import '../../src/metrics/metrics.js'
import { metricsTable } from '../../src/metrics/document.js'
import {
  Counter,
  describeMetrics,
  Gauge,
  Histogram,
  readSamples,
  render,
  together,
  totals,
} from '../../src/metrics/registry.js'

const counter = new Counter('test_things_total', 'Things.')
const gauge = new Gauge('test_level', 'A level.')
const highest = new Gauge('test_highest', 'A level of which the highest counts.', 'max')
const histogram = new Histogram('test_seconds', 'Times.', [0.1, 1])

const own = (name: string) => readSamples().filter(({ metric }) => metric === name)

it('writes the text format of Prometheus', () => {
  counter.add({ kind: 'a "quoted"\n\\ one' }, 2)
  counter.add()
  for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value, { of: 'x' })
  const end = gauge.onRead((it) => it.set(5))
  expect(render([...own('test_things_total'), ...own('test_level'), ...own('test_seconds')])).toBe(
    [
      '# HELP test_things_total Things.',
      '# TYPE test_things_total counter',
      'test_things_total{kind="a \\"quoted\\"\\n\\\\ one"} 2',
      'test_things_total 1',
      '# HELP test_level A level.',
      '# TYPE test_level gauge',
      'test_level 5',
      '# HELP test_seconds Times.',
      '# TYPE test_seconds histogram',
      'test_seconds_bucket{of="x",le="0.1"} 2',
      'test_seconds_bucket{of="x",le="1"} 3',
      'test_seconds_bucket{of="x",le="+Inf"} 4',
      'test_seconds_sum{of="x"} 7.65',
      'test_seconds_count{of="x"} 4',
      '',
    ].join('\n'),
  )
  end()
})

it('adds the counts of several processes, or takes the highest', () => {
  highest.set(3)
  const here = [...own('test_highest'), ...own('test_things_total')]
  const there = here.map((sample) => ({ ...sample, value: sample.value * 2 }))
  const all = together([here, there])
  expect(all.find(({ metric }) => metric === 'test_highest')?.value).toBe(6)
  expect(all.find(({ labels, metric }) => metric === 'test_things_total' && labels === '')?.value).toBe(3)
  expect(totals(all).some(({ metric }) => metric === 'test_highest')).toBe(false)
})

it('has no two metrics of one name', () => {
  expect(() => new Counter('test_things_total', 'Again.')).toThrow('declared twice')
})

const page = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')
const exported = describeMetrics()
  .filter(({ name }) => !name.startsWith('test_'))
  .map(({ name }) => name)

it.each(['deploy/grafana/millbook.json', 'deploy/prometheus/alerts.yml'])(
  '%s names only metrics that exist',
  (path) => {
    const used = [...page(path).matchAll(/\b(?:millbook|process)_[a-z_]+\b/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    )
    expect(used.length).toBeGreaterThan(8)
    expect(used.filter((name) => !exported.includes(name))).toEqual([])
  },
)

it('the dashboard shows every metric', () => {
  const dashboard = page('deploy/grafana/millbook.json')
  expect(exported.filter((name) => !dashboard.includes(name))).toEqual([])
})

it('docs/metrics.md is current; if not, run npm run docs', () => {
  expect(page('docs/metrics.md')).toContain(`<!-- metrics -->\n${metricsTable(exported)}\n<!-- end of metrics -->`)
})
