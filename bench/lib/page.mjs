/** Writes docs/performance.md and its plot from the figures of a run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { figures, margin } from './figures.mjs'

/** @typedef {import('../run.mjs').Figure} Figure */

const page = new URL('../../docs/performance.md', import.meta.url)
const plot = new URL('../../docs/performance.svg', import.meta.url)
const store = new URL('../../docs/performance.json', import.meta.url)
const BEGIN = '<!-- figures: written by npm run bench -- --write -->'
const END = '<!-- end of figures -->'

/**
 * Keeps the figures of benchmarks that this run did not include.
 * @param {readonly Figure[]} measured @param {number} scale
 */
export function writePage(measured, scale) {
  if (scale !== 1) throw new Error('--write needs the full size; leave out --scale')
  /** @type {Figure[]} */
  const before = existsSync(store) ? JSON.parse(readFileSync(store, 'utf8')) : []
  const all = new Map([...before, ...measured].map((figure) => [figure.name, figure]))
  const found = Object.keys(figures).flatMap((name) => all.get(name) ?? [])
  writeFileSync(store, `[\n${found.map((figure) => `  ${JSON.stringify(figure)}`).join(',\n')}\n]\n`)
  const text = readFileSync(page, 'utf8')
  const [intro, rest = ''] = text.split(BEGIN)
  const after = rest.split(END)[1]
  if (after === undefined) throw new Error(`docs/performance.md lacks the marks ${BEGIN} and ${END}; restore them`)
  const isEmbedded = (/** @type {Figure} */ { name }) => name.includes('embedded') || name.startsWith('demo')
  const part = [
    `Measured on ${new Date().toISOString().slice(0, 10)} with ${machine()}.`,
    '',
    '![How many times better than its target each figure is](performance.svg)',
    '',
    '### PostgreSQL',
    '',
    ...table(found.filter((figure) => !isEmbedded(figure))),
    '',
    '### Embedded engine, 1M movements',
    '',
    ...table(found.filter(isEmbedded)),
    '',
    '\\* This ratio depends on the size of the company; the others do not, or hardly.',
  ]
  writeFileSync(page, `${intro}${BEGIN}\n${part.join('\n')}\n${END}${after}`)
  writeFileSync(plot, drawn(found))
}

function machine() {
  const model = cpus()[0]?.model.replace(/\s+/g, ' ').trim() || 'processor'
  return `${availableParallelism()} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Node ${process.versions.node}`
}

/** @param {readonly Figure[]} found */
function table(found) {
  const number = (/** @type {number} */ n) => n.toLocaleString('en', { maximumSignificantDigits: 3 })
  return [
    '| figure | value | baseline | ratio | target |',
    '|---|---:|---|---:|---|',
    ...found.map((figure) => {
      const { name, value, unit, baseline, ratio } = figure
      const { what, against, least, most, ofSize } = /** @type {import('./figures.mjs').Meaning} */ (figures[name])
      const by = margin(figure)
      const target = by === undefined ? '' : least === undefined ? `≤ ${most}` : `≥ ${least}`
      return `| ${what} | ${number(value)} ${unit} | ${against}: ${number(baseline)} ${unit} | ${ratio}${ofSize ? ' *' : ''} | ${target}${by !== undefined && by < 1 ? ' **missed**' : ''} |`
    }),
  ]
}

const ROW = 22
const LEFT = 520
const WIDTH = 1000

/**
 * A bar for each figure with a target: how many times better it is, on a logarithmic scale.
 * @param {readonly Figure[]} found
 */
function drawn(found) {
  const bars = found.flatMap((figure) => {
    const by = margin(figure)
    const { what = '', against = '' } = figures[figure.name] ?? {}
    const on = figure.name.includes('embedded') ? ' (embedded)' : ''
    return by === undefined ? [] : [{ by, label: `${what} : ${against}${on}` }]
  })
  const [low, high] = [Math.min(0.5, ...bars.map(({ by }) => by)), Math.max(10, ...bars.map(({ by }) => by))]
  const x = (/** @type {number} */ by) =>
    LEFT + ((Math.log(by) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (WIDTH - LEFT - 70)
  const height = bars.length * ROW + 50
  const escaped = (/** @type {string} */ text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const rows = bars.map(({ by, label }, i) => {
    const y = 34 + i * ROW
    const [from, to] = [Math.min(x(1), x(by)), Math.max(x(1), x(by))]
    return `<text x="${LEFT - 10}" y="${y + 12}" text-anchor="end">${escaped(label)}</text>
<rect x="${from.toFixed(1)}" y="${y}" width="${Math.max(1.5, to - from).toFixed(1)}" height="${ROW - 6}" fill="${by >= 1 ? '#2f7d5b' : '#b3442e'}"/>
<text x="${(Math.max(to, x(1)) + 6).toFixed(1)}" y="${y + 12}">${by >= 10 ? Math.round(by) : by.toFixed(1)}×</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="11" fill="#222">
<title>How many times better than its target each figure is</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<text x="${x(1).toFixed(1)}" y="20" text-anchor="middle" font-weight="600">target</text>
<line x1="${x(1).toFixed(1)}" y1="26" x2="${x(1).toFixed(1)}" y2="${height - 12}" stroke="#999"/>
${rows.join('\n')}
</svg>
`
}
