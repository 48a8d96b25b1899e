/** Lines of bills of materials: what each product is made of, and where each component is used. */
import { raw, sql } from '../../db/sql.js'
import { IsoDate, Naming, NotAdditive, OrNull, Quantity, Text, Word } from '../../kernel/report/fields.js'
import { Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { item } from '../shared/things.js'
import { only } from '../shared/words.js'

const kinds = ['Component', 'By-product', 'Part of a combo'] as const

export default defineReport({
  id: 'production.bills',
  method: 'POST',
  path: '/v1/production/bills',
  title: 'Lines of bills of materials',
  summary: 'The components, by-products and combo parts of every product, and where each is used',
  askedAs: [
    'recipe, formula, bill of materials, BOM of a product',
    'in which products is an ingredient or a material used',
    'components of a product, by-products, parts of a combo',
  ],
  description: `One record per line of a bill of materials, and per part of a combo, of all products, active or not, on all days; ordered by
\`product_sku\`, \`kind\`, \`material_code\` and the first day. \`qty\` is the quantity in one unit of the product, with 10 fraction digits.`,
  request: {
    product_sku: Optional(TextParam('Only lines of the product with this code.', 'FG-0002')),
    material_code: Optional(TextParam('Only lines with this component, by-product or part.', 'RM-0001')),
  },
  perPage: 100,
  record: {
    product_sku: Naming(Text("The product's code."), item('product_sku')),
    product_name: Naming(Text("The product's name."), item('product_sku')),
    kind: Word(
      kinds,
      'Whether the material goes into the product, comes out beside it, or is packed with others in a combo.',
    ),
    material_code: Naming(Text("The material's code."), item('material_code')),
    material_name: Naming(Text("The material's name."), item('material_code')),
    qty: NotAdditive(Quantity(10, 'material_unit', 'Quantity in one unit of the product.')),
    material_unit: Text("The material's unit."),
    valid_from: OrNull(IsoDate('First day of the line; null for no beginning.')),
    valid_to: OrNull(IsoDate('Last day of the line; null for no end.')),
  },
  people: [
    'product_name',
    'material_name',
    'qty',
    'material_unit',
    'kind',
    'valid_from',
    'valid_to',
    'product_sku',
    'material_code',
  ],
  orderBy: ['product_sku', 'kind', 'material_code', 'first_day'],
  hiddenKey: { first_day: IsoDate('First day of the line; 0001-01-01 for no beginning.') },
  query: ({ product_sku, material_code }) => sql`
    select p.sku as product_sku, p.name as product_name, l.kind, i.sku as material_code, i.name as material_name, l.qty,
           i.unit as material_unit, nullif(l.valid_from, '0001-01-01') as valid_from, l.valid_to, l.valid_from as first_day
      from (select product_id, component_id, kind, qty, valid_from, valid_to from bom_line
            union all
            select combo_id, component_id, ${raw(`'${kinds[2]}'`)}, qty, '0001-01-01'::date, null::date from combo_line) l
      join item p on p.id = l.product_id
      join item i on i.id = l.component_id
     where true ${only(product_sku, (code) => sql`p.sku = ${code}`)} ${only(material_code, (code) => sql`i.sku = ${code}`)}`,
})
