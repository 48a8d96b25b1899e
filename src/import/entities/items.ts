import { sql } from '../../db/sql.js'
import { changedRows, stagedRows } from '../checks.js'
import { Code, Digits, Integer, Optional, Percent, Price, Quantity, Text, Word, YesNo } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'items',
  table: 'item',
  about: 'One row per finished good, semi-finished good, combo, material or service.',
  order: 30,
  key: ['sku'],
  columns: {
    sku: Code('Code of the item, unique.', { example: 'FG-101' }),
    name: Text('Name.', { example: 'Aloo Bhujia 200 g', longest: 500 }),
    type: Word(
      ['FG', 'SFG', 'COMBO', 'MAT', 'SRV'],
      'FG finished good, SFG semi-finished good, COMBO physical combo, MAT material, SRV service.',
    ),
    material_kind: Optional(
      Word(
        ['RAW', 'PCK', 'CON', 'TOOL'],
        'Of a material: RAW raw, PCK packing, CON consumable, TOOL tool. Empty for other types.',
      ),
    ),
    unit: Text(
      'Stock unit: the unit of every quantity of the item, unless a document or a movement names another one from item_units.',
      {
        example: 'PCS',
      },
    ),
    primary_category: Optional(Text('Primary category.'), ''),
    product_category: Optional(Text('Product category.'), ''),
    business_nature: Optional(Text('Business nature.', { example: 'Manufactured' }), ''),
    hsn: Optional(Text('Tax classification.', { example: '21069099' }), ''),
    mrp: Optional(Price('Maximum retail price.'), '0'),
    tax_rate: Optional(Percent('Tax rate in percent.', { example: '12' }), '0'),
    reorder_level: Optional(Quantity('Quantity below which to reorder.'), '0'),
    active: Optional(YesNo('Whether the item is in use.'), 'true'),
    gtin: Optional(Digits([8, 12, 13, 14], 'Number of the item at GS1, as under its bar code.', '8901234567894')),
    shelf_life_days: Optional(Integer(0, 'Days from manufacture to expiry.', { example: '180' })),
  },
  rules: [
    {
      column: 'material_kind',
      holds: sql`(s.type = 'MAT') = (s.material_kind is not null)`,
      expects: 'RAW, PCK, CON or TOOL for a material, and nothing for another type',
    },
  ],
  decides: ['type', 'unit'],
  changes: {
    changed: sql`
      select s.line, t.id as item_id, t.unit from ${stagedRows('items')} s join item t on t.sku = s.sku
       where t.type <> s.type or t.unit <> s.unit`,
    warning: {
      check: 'the stock unit of an item with movements changed',
      wrong: sql`
        select 'the stock unit of item ' || i.sku || ' was ' || c.unit || ' and is ' || i.unit ||
               ' now: its movements without a unit keep their quantities, unless this load changes them too'
          from ${changedRows('items')} c join item i on i.id = c.item_id
         where i.unit <> c.unit and exists (select from stock_movement m where m.item_id = i.id and m.unit is null) order by i.sku`,
    },
  },
  grants: businessData,
})
