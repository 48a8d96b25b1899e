/**
 * The genealogy of a trace as a picture: nodes in columns by their distance from the start, edges between them, and where each
 * is drawn. Vendors stand in the first column, customers in the last.
 */
import type { Row } from '../catalogue.js'
import { add } from '../numbers.js'
import { thingUrl } from '../things/paths.js'

export type Direction = 'forward' | 'backward'

export interface Node {
  readonly id: string
  readonly column: number
  readonly kind: 'start' | 'batch' | 'party' | 'loose' | 'more'
  readonly title: string
  /** Below the title: a batch number. */
  readonly detail: string
  readonly url?: string
  /** Quantity in stock, with its unit; only of batches with stock. */
  readonly stock?: string
  /** Only of `more`: how many nodes it stands for. */
  readonly count?: number
}

export interface Edge {
  readonly from: string
  readonly to: string
  /** Empty if the quantities of a folded edge have several units. */
  readonly qty: string
  readonly unit: string
  /** Drawn from the right to the left: a return, or a batch that went into one as near to the start as itself. */
  readonly isBack: boolean
  readonly isReturn: boolean
  readonly direction: Direction
}

export interface Genealogy {
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const keyOf = (sku: unknown, batch: unknown): string => JSON.stringify([sku ?? null, batch ?? null])

/** The nodes and edges of a trace, from its records with `show` links and batches. */
export function genealogyOf(links: readonly Row[], batches: readonly Row[]): Genealogy {
  const nodes = new Map<string, Node>()
  const starts = new Set<string>()
  const names = new Map(batches.map((row) => [text(row['sku']), text(row['name'])]))
  for (const row of batches) {
    const key = keyOf(row['sku'], row['batch_no'])
    const direction = text(row['direction'])
    if (direction === 'start') starts.add(key)
    const id = direction === 'start' ? key : `${direction} ${key}`
    const depth = Number(row['depth'])
    const hasStock = /[1-9]/.test(text(row['stock_qty']))
    nodes.set(id, {
      ...batchNode(id, row['sku'], row['batch_no'], names),
      column: direction === 'backward' ? -depth : depth,
      ...(direction === 'start' && { kind: 'start' as const }),
      ...(hasStock && { stock: `${text(row['stock_qty'])} ${text(row['unit'])}` }),
    })
  }

  const edges = new Map<string, Edge>()
  const parties: { id: string; title: string; direction: Direction }[] = []
  for (const row of links) {
    const direction = text(row['direction']) as Direction
    const sign = direction === 'backward' ? -1 : 1
    const depth = Number(row['depth'])
    const end = (side: 'from' | 'to', isParty: boolean): string => {
      if (isParty) {
        const name = text(row[`${side}_party`])
        const id = `${direction} party ${name}`
        if (!nodes.has(id) && !parties.some((one) => one.id === id))
          parties.push({ id, title: name || hiddenParty(direction), direction })
        return id
      }
      const [sku, batch] = [row[`${side}_sku`], row[`${side}_batch`]]
      const key = keyOf(sku, batch)
      if (starts.has(key)) return key
      const id = `${direction} ${key}`
      if (!nodes.has(id)) nodes.set(id, { ...batchNode(id, sku, batch, names), column: sign * depth })
      return id
    }
    const link = text(row['link'])
    const from = end('from', link === 'received' || link === 'returned')
    const to = end('to', link === 'shipped' || link === 'vendor-returned')
    const isReturn = link === 'returned' || link === 'vendor-returned'
    const isBack = isReturn || from === to || (nodes.has(from) && nodes.has(to) && columnOf(from) >= columnOf(to))
    join(edges, { from, to, qty: text(row['qty']), unit: text(row['unit']), isBack, isReturn, direction })
  }
  function columnOf(id: string): number {
    return (nodes.get(id) as Node).column
  }

  const columns = [...nodes.values()].map(({ column }) => column)
  const [first, last] = [Math.min(0, ...columns) - 1, Math.max(0, ...columns) + 1]
  for (const { id, title, direction } of parties)
    nodes.set(id, { id, title, detail: '', kind: 'party', column: direction === 'backward' ? first : last })
  return { nodes: [...nodes.values()], edges: [...edges.values()] }
}

const hiddenParty = (direction: Direction): string => (direction === 'forward' ? 'Customers' : 'Vendors')

function batchNode(id: string, sku: unknown, batch: unknown, names: ReadonlyMap<string, string>): Omit<Node, 'column'> {
  const code = text(sku)
  const title = names.get(code) || code
  if (code === '') return { id, kind: 'loose', title: 'Not recorded', detail: 'used for an unknown product' }
  if (typeof batch !== 'string' || batch === '')
    return { id, kind: 'loose', title, detail: 'without a batch', url: thingUrl('item', [code]) }
  return { id, kind: 'batch', title, detail: batch, url: thingUrl('batch', [code, batch]) }
}

/** Adds the edge to the one between the same nodes, if there is one. */
function join(edges: Map<string, Edge>, edge: Edge): void {
  const key = JSON.stringify([edge.from, edge.to, edge.isReturn])
  const known = edges.get(key)
  if (known === undefined) edges.set(key, edge)
  else if (known.unit === edge.unit && known.qty !== '' && edge.qty !== '')
    edges.set(key, { ...known, qty: add(known.qty, edge.qty) })
  else edges.set(key, { ...known, qty: '', unit: '' })
}

/** Sorts the nodes of each column so that few edges cross: near the mean place of the nodes that they come from. */
export function ordered({ nodes, edges }: Genealogy): ReadonlyMap<number, readonly Node[]> {
  const columns = new Map<number, Node[]>()
  for (const node of [...nodes].sort((a, b) => compareTexts(a, b))) {
    const column = columns.get(node.column)
    if (column === undefined) columns.set(node.column, [node])
    else column.push(node)
  }
  const places = new Map<string, number>()
  const settle = (column: number) => {
    const list = columns.get(column) ?? []
    const mean = new Map(list.map((node, at) => [node.id, meanPlace(node, edges, places) ?? at]))
    list.sort((a, b) => (mean.get(a.id) as number) - (mean.get(b.id) as number))
    for (const [at, { id }] of list.entries()) places.set(id, (at + 1) / (list.length + 1))
  }
  const numbers = [...columns.keys()].sort((a, b) => Math.abs(a) - Math.abs(b))
  for (const column of numbers) settle(column)
  return new Map([...columns].sort(([a], [b]) => a - b))
}

const compareTexts = (a: Node, b: Node): number =>
  a.title.localeCompare(b.title) || a.detail.localeCompare(b.detail) || (a.id < b.id ? -1 : 1)

/** The mean place of the neighbours that have one. */
function meanPlace({ id }: Node, edges: readonly Edge[], places: ReadonlyMap<string, number>): number | undefined {
  const found = edges.flatMap(({ from, to }) => {
    const other = from === id ? to : to === id ? from : undefined
    const place = other === undefined ? undefined : places.get(other)
    return place === undefined ? [] : [place]
  })
  return found.length === 0 ? undefined : found.reduce((sum, place) => sum + place, 0) / found.length
}

/** Nodes that a column shows before the others are folded into one. */
export const MOST_NODES = 12

/** Folds the last nodes of long columns, except of the unfolded ones, into one node each; their edges are added up. */
export function folded(genealogy: Genealogy, unfolded: ReadonlySet<number>, most = MOST_NODES): Genealogy {
  const into = new Map<string, string>()
  const nodes: Node[] = []
  for (const [column, list] of ordered(genealogy)) {
    if (list.length <= most || unfolded.has(column)) {
      nodes.push(...list)
      continue
    }
    const rest = list.slice(most - 1)
    const id = `more ${column}`
    for (const node of rest) into.set(node.id, id)
    const word = rest.every(({ kind }) => kind === 'party') ? (column < 0 ? 'vendors' : 'customers') : 'batches'
    nodes.push(...list.slice(0, most - 1), {
      ...{ id, column, kind: 'more', title: `${rest.length} more ${word}`, detail: 'Show all', count: rest.length },
    })
  }
  const edges = new Map<string, Edge>()
  for (const edge of genealogy.edges)
    join(edges, { ...edge, from: into.get(edge.from) ?? edge.from, to: into.get(edge.to) ?? edge.to })
  return { nodes, edges: [...edges.values()] }
}

/** The end of an edge that is away from the start. */
const farEnd = ({ direction, isBack, from, to }: Edge): string => ((direction === 'forward') === isBack ? from : to)

/** A column of the picture as a list, for screens that have no room for the picture. */
export interface Level {
  readonly heading: string
  readonly nodes: readonly (Node & {
    /** What came to the node from nearer to the start, or what of it went there. */
    readonly ways: readonly (Edge & { readonly other: Node })[]
  })[]
}

export function levelsOf(genealogy: Genealogy): Level[] {
  const byId = new Map(genealogy.nodes.map((node) => [node.id, node]))
  return [...ordered(genealogy)].map(([column, list]) => ({
    heading: headingOf(column, list),
    nodes: list.map((node) => ({
      ...node,
      ways: genealogy.edges
        .filter((edge) => farEnd(edge) === node.id)
        .sort((a, b) => Number(a.isReturn) - Number(b.isReturn))
        .map((edge) => ({ ...edge, other: byId.get(otherEnd(edge, node.id)) as Node })),
    })),
  }))
}

function headingOf(column: number, nodes: readonly Node[]): string {
  if (column === 0) return nodes.length === 1 ? 'This batch' : 'These batches'
  if (nodes.some(({ kind }) => kind === 'party')) return column < 0 ? 'Vendors' : 'Customers'
  if (column < 0) return 'Made from'
  return column === 1 ? 'Went into' : 'Then into'
}

export interface Placed extends Node {
  readonly x: number
  readonly y: number
  readonly height: number
}

export interface Line extends Edge {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  /** Where its quantity stands; undefined if there is no room for it. */
  readonly label?: { readonly x: number; readonly y: number; readonly end: boolean }
}

export interface Picture {
  readonly width: number
  readonly height: number
  readonly nodes: readonly Placed[]
  readonly lines: readonly Line[]
  /** The left end and the middle of the start. */
  readonly start: { readonly x: number; readonly y: number }
}

export const NODE_WIDTH = 176
export const GAP = 84
const LEAST_HEIGHT = 44
const BETWEEN = 10
const PORT = 16
/** Edges that end at a node in places of their own, each with its quantity; more edges end in one place. */
const MOST_PORTS = 12

/**
 * Places nodes and lines. A line shows its quantity at the end away from the start: what a batch took of its input, or what of an
 * input came this way.
 */
export function drawn(genealogy: Genealogy): Picture {
  const columns = [...ordered(genealogy)]
  const ports = new Map<string, Edge[]>()
  for (const edge of genealogy.edges) {
    const list = ports.get(farEnd(edge))
    if (list === undefined) ports.set(farEnd(edge), [edge])
    else list.push(edge)
  }
  const hasPorts = (id: string): boolean => (ports.get(id)?.length ?? 0) <= MOST_PORTS
  const heightOf = ({ id }: Node): number =>
    hasPorts(id) ? Math.max(LEAST_HEIGHT, (ports.get(id)?.length ?? 0) * PORT + 12) : LEAST_HEIGHT
  const heights = columns.map(
    ([, list]) => list.reduce((sum, node) => sum + heightOf(node), 0) + BETWEEN * (list.length - 1),
  )
  const height = Math.max(LEAST_HEIGHT, ...heights)
  const placed = new Map<string, Placed>()
  let start = { x: 0, y: 0 }
  for (const [at, [column, list]] of columns.entries()) {
    const x = at * (NODE_WIDTH + GAP)
    if (column === 0) start = { x, y: height / 2 }
    let y = (height - (heights[at] as number)) / 2
    for (const node of list) {
      placed.set(node.id, { ...node, x, y, height: heightOf(node) })
      y += heightOf(node) + BETWEEN
    }
  }
  const middle = (id: string): number => {
    const { y, height } = placed.get(id) as Placed
    return y + height / 2
  }
  for (const list of ports.values())
    list.sort((a, b) => middle(otherEnd(a, farEnd(a))) - middle(otherEnd(b, farEnd(b))))
  const portOf = (edge: Edge, id: string): number => {
    const list = ports.get(id) ?? []
    if (farEnd(edge) !== id || !hasPorts(id)) return middle(id)
    return middle(id) + (list.indexOf(edge) - (list.length - 1) / 2) * PORT
  }
  const lines = genealogy.edges.map((edge): Line => {
    const [from, to] = [placed.get(edge.from) as Placed, placed.get(edge.to) as Placed]
    // A line that leads back leaves on the left and arrives on the right.
    const [x1, x2] = edge.isBack ? [from.x, to.x + NODE_WIDTH] : [from.x + NODE_WIDTH, to.x]
    const [y1, y2] = [portOf(edge, edge.from), portOf(edge, edge.to)]
    const far = farEnd(edge)
    const isRight = far === (edge.isBack ? edge.from : edge.to)
    const label = isRight
      ? { x: (edge.isBack ? x1 : x2) - 6, end: true }
      : { x: (edge.isBack ? x2 : x1) + 6, end: false }
    const y = (far === edge.from ? y1 : y2) - 3
    return { ...edge, x1, y1, x2, y2, ...(hasPorts(far) && edge.qty !== '' && { label: { ...label, y } }) }
  })
  const width = columns.length * (NODE_WIDTH + GAP) - GAP
  return { width, height, nodes: [...placed.values()], lines, start }
}

const otherEnd = ({ from, to }: Edge, one: string): string => (from === one ? to : from)
