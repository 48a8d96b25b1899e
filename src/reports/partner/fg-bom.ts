/** FG bill of materials: the components of one unit of each finished good. */
import { raw, sql } from '../../db/sql.js'
import { extra, Lines, Naming, NotAdditive, Quantity, Text } from '../../kernel/report/fields.js'
import { Day, Optional } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { item } from '../shared/things.js'
import { today, validOn } from '../shared/words.js'

export default defineReport({
  id: 'partner.fg-bom',
  method: 'POST',
  path: '/v1/partner/fg-bom',
  title: 'Bills of materials',
  summary: 'Bills of materials of active finished goods',
  askedAs: [
    'bills of materials of finished goods, one record per product',
    'recipe or BOM of each product with all components',
  ],
  description: `One record per active finished good and combo, ordered by \`product_sku\`; a product without a bill of materials has an empty list. \`req_qty\` is
the quantity in one unit of the product, with 10 fraction digits. A line of a bill that is valid from a day or to a day shows on its
valid days only.`,
  request: { date: Optional(Day('The day of the bills; today by default.', '2026-06-30')) },
  dependsOnToday: true,
  record: {
    product_name: Naming(Text("The product's name."), item('product_sku')),
    product_sku: Naming(Text("The product's code."), item('product_sku')),
    product_uom: Text("The product's unit."),
    materials: Lines('Direct components of the product, ordered by code.', {
      fields: {
        material_name: Naming(Text("The component's name."), item('material_code')),
        material_code: Naming(Text("The component's code."), item('material_code')),
        req_qty: NotAdditive(Quantity(10, 'material_uom', 'Quantity of the component in one unit of the product.')),
        material_uom: Text("The component's unit."),
      },
      query: sql`
        select i.name as material_name, i.sku as material_code, b.qty as req_qty, i.unit as material_uom
          from bom_line b join item i on i.id = b.component_id
         where b.product_id = parent.product_id and b.kind = 'Component' and ${validOn(raw('parent.day'))}`,
      orderBy: ['material_code'],
    }),
    ...extra({
      by_products: Lines('By-products of the product, ordered by code.', {
        fields: {
          material_name: Naming(Text("The by-product's name."), item('material_code')),
          material_code: Naming(Text("The by-product's code."), item('material_code')),
          qty: NotAdditive(
            Quantity(10, 'material_uom', 'Quantity of the by-product that comes out with one unit of the product.'),
          ),
          material_uom: Text("The by-product's unit."),
        },
        query: sql`
          select i.name as material_name, i.sku as material_code, b.qty, i.unit as material_uom
            from bom_line b join item i on i.id = b.component_id
           where b.product_id = parent.product_id and b.kind = 'By-product' and ${validOn(raw('parent.day'))}`,
        orderBy: ['material_code'],
      }),
    }),
  },
  people: ['product_name', 'product_sku', 'product_uom', 'materials', 'by_products'],
  headings: { product_name: 'Product', product_sku: 'SKU', product_uom: 'Unit' },
  orderBy: ['product_sku'],
  query: ({ date }) => sql`
    select ${date === undefined ? today : sql`${date}::date`} as day, i.id as product_id, i.name as product_name, i.sku as product_sku, i.unit as product_uom
      from item i where i.active and i.type in ('FG', 'COMBO')`,
})
