/** The genealogy of a recall: columns, folding, and where nodes and lines are drawn. */
import { afterAll, expect, it, vi } from 'vitest'

vi.stubGlobal('location', { pathname: '/', search: '', origin: 'http://millbook.example' })
afterAll(() => void vi.unstubAllGlobals())

const { drawn, folded, genealogyOf, levelsOf, MOST_NODES, NODE_WIDTH } = await import('../src/recall/genealogy.js')

const batch = (direction: string, depth: number, sku: string, batch_no: string, more: object = {}) => ({
  ...{ direction, depth, sku, batch_no, name: `Item ${sku}`, unit: 'kg', stock_qty: '0.0000' },
  ...more,
})
const none = { from_sku: null, from_batch: null, from_party: null, to_sku: null, to_batch: null, to_party: null }
const link = (kind: string, direction: string, depth: number, from: object, to: object, qty: string, unit = 'kg') => ({
  ...{ ...none, direction, depth, link: kind, qty, unit },
  ...from,
  ...to,
})
const from = (from_sku: string | null, from_batch: string | null) => ({ from_sku, from_batch })
const to = (to_sku: string | null, to_batch: string | null) => ({ to_sku, to_batch })

/** Oil from one vendor went into two batches of dough, one of which went back into the oil's tank; two customers. */
const batches = [
  batch('start', 0, 'OIL', 'L1', { stock_qty: '12.5000' }),
  batch('forward', 1, 'DOUGH', 'D1'),
  batch('forward', 1, 'DOUGH', 'D2'),
  batch('forward', 2, 'SNACK', 'S1'),
]
const links = [
  link('received', 'backward', 1, { from_party: 'Agro' }, to('OIL', 'L1'), '100.0000'),
  link('consumed', 'forward', 1, from('OIL', 'L1'), to('DOUGH', 'D1'), '30.0000'),
  link('consumed', 'forward', 1, from('OIL', 'L1'), to('DOUGH', 'D2'), '20.0000'),
  link('consumed', 'forward', 1, from('OIL', 'L1'), to('DOUGH', 'D2'), '5.5000'),
  link('consumed', 'forward', 2, from('DOUGH', 'D1'), to('SNACK', 'S1'), '40.0000'),
  link('consumed', 'forward', 2, from('DOUGH', 'D2'), to('OIL', 'L1'), '1.0000'),
  link('consumed', 'forward', 2, from('DOUGH', 'D2'), to(null, null), '2.0000'),
  link('shipped', 'forward', 3, from('SNACK', 'S1'), { to_party: 'Asha' }, '10.0000', 'pcs'),
  link('shipped', 'forward', 3, from('SNACK', 'S1'), { to_party: 'Bela' }, '4.0000', 'pcs'),
  link('returned', 'forward', 3, { from_party: 'Bela' }, to('SNACK', 'S1'), '1.0000', 'pcs'),
]

it('puts vendors in the first column, customers in the last, and adds up what moved between two batches', () => {
  const { nodes, edges } = genealogyOf(links, batches)
  const columns = Object.fromEntries(nodes.map(({ title, detail, column }) => [`${title} ${detail}`.trim(), column]))
  expect(columns).toEqual({
    Agro: -1,
    'Item OIL L1': 0,
    'Item DOUGH D1': 1,
    'Item DOUGH D2': 1,
    'Item SNACK S1': 2,
    'Not recorded used for an unknown product': 2,
    Asha: 3,
    Bela: 3,
  })
  const named = new Map(nodes.map(({ id, title, detail }) => [id, detail || title]))
  expect(
    edges.map(({ from, to, qty, unit, isBack }) => `${named.get(from)} ${named.get(to)} ${qty} ${unit} ${isBack}`),
  ).toEqual([
    'Agro L1 100.0000 kg false',
    'L1 D1 30.0000 kg false',
    'L1 D2 25.5000 kg false',
    'D1 S1 40.0000 kg false',
    'D2 L1 1.0000 kg true',
    'D2 used for an unknown product 2.0000 kg false',
    'S1 Asha 10.0000 pcs false',
    'S1 Bela 4.0000 pcs false',
    'Bela S1 1.0000 pcs true',
  ])
  expect(nodes.find(({ kind }) => kind === 'start')).toMatchObject({ stock: '12.5000 kg', url: '/batches/OIL/L1' })
})

it('draws no two nodes over each other, every line from node to node, and every quantity', () => {
  const { nodes, lines, width, height, start } = drawn(genealogyOf(links, batches))
  for (const a of nodes)
    for (const b of nodes) if (a !== b && a.x === b.x) expect(a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(true)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const { from, to, x1, y1, x2, y2, isBack, label } of lines) {
    const [a, b] = [byId.get(from), byId.get(to)]
    expect([x1, x2]).toEqual(isBack ? [a?.x, (b?.x ?? 0) + NODE_WIDTH] : [(a?.x ?? 0) + NODE_WIDTH, b?.x])
    for (const [y, node] of [[y1, a], [y2, b]] as const) // biome-ignore format: one line
      expect(y >= (node?.y ?? 0) && y <= (node?.y ?? 0) + (node?.height ?? 0)).toBe(true)
    expect(label).toBeDefined()
  }
  expect(new Set(lines.map(({ label }) => `${label?.x} ${label?.y}`)).size).toBe(lines.length)
  expect(Math.max(...nodes.map(({ x }) => x + NODE_WIDTH))).toBe(width)
  expect(Math.max(...nodes.map(({ y, height }) => y + height))).toBeLessThanOrEqual(height)
  const first = nodes.find(({ kind }) => kind === 'start')
  expect(first).toMatchObject({ x: start.x, y: start.y - (first?.height ?? 0) / 2 })
})

it('lists the same level by level, each node once with all of its lines', () => {
  const genealogy = genealogyOf(links, batches)
  const levels = levelsOf(genealogy)
  expect(
    levels.map(({ heading, nodes }) => [
      heading,
      nodes.map(({ title, ways }) => [title, ways.map(({ qty, other, isReturn }) => [qty, other.title, isReturn])]),
    ]),
  ).toEqual([
    ['Vendors', [['Agro', [['100.0000', 'Item OIL', false]]]]],
    ['This batch', [['Item OIL', []]]],
    [
      'Went into',
      [
        ['Item DOUGH', [['30.0000', 'Item OIL', false]]],
        [
          'Item DOUGH',
          [
            ['25.5000', 'Item OIL', false],
            ['1.0000', 'Item OIL', false],
          ],
        ],
      ],
    ],
    [
      'Then into',
      [
        ['Item SNACK', [['40.0000', 'Item DOUGH', false]]],
        ['Not recorded', [['2.0000', 'Item DOUGH', false]]],
      ],
    ],
    [
      'Customers',
      [
        ['Asha', [['10.0000', 'Item SNACK', false]]],
        [
          'Bela',
          [
            ['4.0000', 'Item SNACK', false],
            ['1.0000', 'Item SNACK', true],
          ],
        ],
      ],
    ],
  ])
  expect(levels.flatMap(({ nodes }) => nodes.flatMap(({ ways }) => ways))).toHaveLength(genealogy.edges.length)
})

it('folds long columns into one node with the sum of their lines, and unfolds them', () => {
  const many = Array.from({ length: 200 }, (_, i) => String(i).padStart(3, '0'))
  const genealogy = genealogyOf(
    [
      ...many.map((no) => link('consumed', 'forward', 1, from('OIL', 'L1'), to('DOUGH', no), '2.0000')),
      ...many.map((no) =>
        link(
          'shipped',
          'forward',
          2,
          from('DOUGH', no),
          { to_party: `Customer ${no}` },
          '1.0000',
          Number(no) % 2 ? 'kg' : 'pcs',
        ),
      ),
    ],
    [batch('start', 0, 'OIL', 'L1'), ...many.map((no) => batch('forward', 1, 'DOUGH', no))],
  )
  const short = folded(genealogy, new Set())
  expect(short.nodes).toHaveLength(1 + MOST_NODES * 2)
  const more = short.nodes.filter(({ kind }) => kind === 'more')
  expect(more.map(({ title, column }) => [title, column])).toEqual([
    ['189 more batches', 1],
    ['189 more customers', 2],
  ])
  expect(short.edges.find(({ to }) => to === more[0]?.id)).toMatchObject({ qty: '378.0000', unit: 'kg' })
  // Pieces and kilograms have no sum.
  expect(short.edges.find(({ from, to }) => from === more[0]?.id && to === more[1]?.id)).toMatchObject({ qty: '' })
  expect(drawn(short).height).toBeLessThan(MOST_NODES * 80)
  expect(folded(genealogy, new Set([1])).nodes).toHaveLength(1 + 200 + MOST_NODES)
})

it('shows hidden names as one party for each direction', () => {
  const { nodes } = genealogyOf(
    [
      link('shipped', 'forward', 1, from('OIL', 'L1'), {}, '1.0000'),
      link('received', 'backward', 1, {}, to('OIL', 'L1'), '1.0000'),
    ],
    [batch('start', 0, 'OIL', 'L1')],
  )
  expect(nodes.map(({ title, column }) => [title, column])).toEqual([
    ['Item OIL', 0],
    ['Customers', 1],
    ['Vendors', -1],
  ])
})
