/** Every file in src/import/entities/ is an entity: it is found, has a place in the load order, and refers only to existing ones. */
import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ItemCode, Text } from '../../src/import/columns.js'
import { entities, inLoadOrder } from '../../src/import/entities.js'
import { businessData, type Entity } from '../../src/import/entity.js'

const names = entities.map(({ name }) => name)

it('every file of the folder is the entity that it is named after', () => {
  const files = readdirSync(new URL('../../src/import/entities/', import.meta.url))
  expect([...names].sort()).toEqual(files.map((file) => file.replace(/\.ts$/, '')).sort())
})

it('the load order is the one in the documentation, with the ledger last', () => {
  const documented = [
    ...['account', 'warehouses', 'items', 'bom', 'combos', 'vendors', 'customers'],
    ...['purchase_orders', 'purchase_order_items', 'approvals', 'goods_receipts', 'goods_receipt_items'],
    ...['batches', 'consumption'],
    ...['sales_orders', 'sales_order_items', 'returns', 'invoices', 'invoice_items'],
  ]
  expect(names.filter((name) => documented.includes(name))).toEqual(documented)
  expect(names.at(-1)).toBe('stock_movements')
})

/** An entity that refers to others. */
const made = (name: string, order: number, to: string[] = [], more: Partial<Entity> = {}): Entity => ({
  ...{ name, order, table: name, about: '', key: ['a'], columns: { a: Text('') }, grants: businessData },
  references: to.map((entity) => ({ columns: ['a'], table: entity, to: ['a'], entity })),
  ...more,
})
const ordered = (...list: Entity[]) => inLoadOrder(list).map(({ name }) => name)

it('references decide the order first, then the number, then the name', () => {
  expect(ordered(made('a', 1, ['c']), made('b', 9), made('c', 5))).toEqual(['c', 'a', 'b'])
  expect(ordered(made('b', 1), made('a', 1), made('c', 0))).toEqual(['c', 'a', 'b'])
  const coded = made('b', 1, [], { columns: { a: ItemCode('a_id', '') } })
  expect(ordered(coded, made('items', 9), made('c', 5))).toEqual(['c', 'items', 'b'])
  expect(ordered(made('ledger', 0, [], { ledger: true }), made('z', 99))).toEqual(['z', 'ledger'])
  expect(ordered(made('tree', 1, ['tree']))).toEqual(['tree'])
})

it('entities that refer to each other cause an error that names them', () => {
  expect(() => ordered(made('a', 1, ['b']), made('b', 1, ['a']), made('c', 1))).toThrow(
    'entities refer to each other: a, b',
  )
})

it('references, checks and doubts name entities that exist', () => {
  for (const { columns, references = [], contradictions = [], agreements = [], doubts = [], ...entity } of entities) {
    const named = [
      ...Object.values(columns).flatMap(({ lookup }) => lookup?.entity ?? []),
      ...references.map((reference) => reference.entity),
      ...contradictions.flatMap(({ causes = [] }) => causes.map((cause) => cause.entity)),
      ...agreements.flatMap(({ scope }) => Object.keys(scope.touched)),
      ...doubts.flatMap((doubt) => doubt.entities),
    ]
    expect(names, entity.name).toEqual(expect.arrayContaining(named))
    const changing = contradictions.flatMap(({ causes = [] }) => causes.map((cause) => cause.entity))
    for (const name of changing) expect(entities.find((one) => one.name === name)?.changes, name).toBeDefined()
    if (references.some(({ noForeignKey }) => noForeignKey)) expect(entity.singular, entity.name).toBeDefined()
  }
})

it('a contradiction with a joined row has the changes of that row among its causes', () => {
  const missing = entities.flatMap(({ name, joins = {}, contradictions = [] }) =>
    contradictions.flatMap(({ check, column, causes = [], wrong }) =>
      Object.entries(joins).flatMap(([alias, { table }]) => {
        const of = entities.filter((one) => one.table === table).map((one) => one.name)
        const isUsed = column !== undefined && new RegExp(`\\b${alias}\\.`).test(wrong.text)
        return isUsed && !causes.some(({ entity }) => of.includes(entity)) ? `${name}: ${check}: ${of}` : []
      }),
    ),
  )
  expect(missing).toEqual([])
})
