/** The paths of things, and the links that a record declares. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { columnsOf } from '../../src/kernel/report/columns.js'
import { Naming, OrNull, Text } from '../../src/kernel/report/fields.js'
import { flatten } from '../src/catalogue.js'
import { linksIn } from '../src/things/names.js'
import { THINGS, thingAt, thingUrl } from '../src/things/paths.js'

const code = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.constantFrom('A/1', '50% off', '%2F', 'Größe 3', 'a?b#c', '\\', '/', '%', '&', '=', ' x ', '10/20/30'),
)

it('a path leads back to the codes, whatever characters they have', () => {
  fc.assert(
    fc.property(fc.constantFrom(...THINGS), fc.array(code, { minLength: 2, maxLength: 2 }), (named, all) => {
      const codes = all.slice(0, named.codes)
      const { pathname } = new URL(thingUrl(named.kind, codes), 'http://millbook.example')
      fc.pre(!codes.some((one) => /^\.\.?$/.test(one))) // a browser resolves these before it asks
      expect(thingAt(pathname)).toEqual({ named, codes })
    }),
  )
})

it('any other path is no thing', () => {
  for (const path of ['/', '/items', '/items/', '/items/a/b', '/batches/a', '/batches/a/', '/nowhere/a', '/reports/a'])
    expect(thingAt(path), path).toBeUndefined()
  expect(thingAt('/items/%')?.codes, 'a broken encoding').toEqual(['%'])
})

const record = {
  sku: Text(''),
  type: Text(''),
  name: Naming(Text(''), { kind: 'item', by: ['sku'] }),
  document: Naming(
    OrNull(Text('')),
    { kind: 'invoice', by: ['document'], when: { field: 'type', is: 'invoice' } },
    { kind: 'order', by: ['document'], unless: { field: 'type', is: 'movement' } },
  ),
  orders: Naming(Text(''), { kind: 'order', by: ['orders'], separator: ', ' }),
  batch: Naming(Text(''), { kind: 'batch', by: ['sku', 'batch'] }),
}
const flats = flatten(columnsOf({ record }))
const links = (name: string, row: Record<string, unknown>) => {
  const flat = flats.find((one) => one.name === name)
  return flat && linksIn(row, flat).map(({ text, url }) => `${text} ${url}`)
}

it('a value links to the first thing that it can name', () => {
  const row = { sku: 'A/1', type: 'invoice', name: 'Ghee', document: 'INV/7', orders: 'S1, S2', batch: 'B 1' }
  expect(links('name', row)).toEqual(['Ghee /items/A%2F1'])
  expect(links('sku', row)).toEqual([])
  expect(links('document', row)).toEqual(['INV/7 /invoices/INV%2F7'])
  expect(links('document', { ...row, type: 'order' })).toEqual(['INV/7 /orders/INV%2F7'])
  expect(links('document', { ...row, type: 'movement' })).toEqual([])
  expect(links('orders', row)).toEqual(['S1 /orders/S1', 'S2 /orders/S2'])
  expect(links('batch', row)).toEqual(['B 1 /batches/A%2F1/B%201'])
})

it('a value links to nothing where it or a code is missing', () => {
  expect(links('document', { type: 'invoice', document: null })).toEqual([])
  expect(links('name', { name: 'Freight', sku: '' })).toEqual([])
  expect(links('batch', { batch: '', sku: 'A' })).toEqual([])
  expect(links('name', { name: 'Ghee' }), 'in groups by name, without the code').toEqual([])
})
