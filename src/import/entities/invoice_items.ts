import { raw, type Sql, sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import { Amount, Code, Integer, ItemCode, Optional, Percent, Price, Quantity, Text, WorkedOut } from '../columns.js'
import { given } from '../conversion.js'
import { TOTAL, unitColumn, unitOfItem } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { linesAddUp, lineTotal } from '../totals.js'
import { orderLines } from './sales_order_items.js'

/**
 * Ordered, issued and invoiced quantities of the order lines `x`, as rows to add up, in units of the ordered item: issues of
 * the item itself, and for a combo as many whole combos as the issues of its components cover. Services, returns and invoices
 * in advance have no issues, which is no disagreement.
 */
const soldOf = (x: Sql) => sql`
  select x.order_no, x.line_no, x.qty as ordered, m.qty as issued, null::numeric as invoiced
    from ${x} x join order_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no
   where m.kind = 'issue' and m.item_id = x.item_id
  union all
  select order_no, line_no, ordered, 0.0000 + min(combos), null
    from (select x.order_no, x.line_no, x.qty as ordered, k.component_id, div(coalesce(sum(m.qty), 0), k.qty) as combos,
                 count(m.qty) as moved
            from ${x} x join combo_line k on k.combo_id = x.item_id
            left join order_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no
                                      and m.item_id = k.component_id and m.kind = 'issue'
           group by x.order_no, x.line_no, x.qty, k.component_id, k.qty) c
   group by 1, 2, 3 having sum(moved) > 0
  union all
  select x.order_no, x.line_no, x.qty, null, l.qty
    from ${x} x join invoice_line l on l.order_no = x.order_no and l.order_line_no = x.line_no
    join invoice n on n.invoice_no = l.invoice_no
   where n.status = 'Submitted'`

/** The same, added up, for all order lines that the ledger has issues of. Only the few lines of combos are looked up. */
const soldOfLedger = sql`
  select s.order_no, s.line_no, l.qty as ordered, s.issued, s.invoiced
    from (select order_no, line_no, sum_of_few(issued) as issued, sum_of_few(invoiced) as invoiced
            from (select m.order_no, m.order_line_no as line_no, m.qty::numeric as issued, null::numeric as invoiced
                    from order_movement m
                    left join combos c on c.order_no = m.order_no and c.line_no = m.order_line_no
                   where m.kind = 'issue' and m.order_no is not null and (c.item_id is null or c.item_id = m.item_id)
                  union all
                  select order_no, line_no, 0.0000 + min(combos), null
                    from (select c.order_no, c.line_no, k.component_id, div(coalesce(sum(m.qty), 0), k.qty) as combos,
                                 count(m.qty) as moved
                            from combos c join combo_line k on k.combo_id = c.item_id
                            left join order_movement m on m.order_no = c.order_no and m.order_line_no = c.line_no
                                                      and m.item_id = k.component_id and m.kind = 'issue'
                           group by c.order_no, c.line_no, k.component_id, k.qty) c
                   group by 1, 2 having sum(moved) > 0
                  union all
                  select l.order_no, l.order_line_no, null, l.qty
                    from invoice_line l
                   where l.order_no is not null
                     and not exists (select from invoice n where n.invoice_no = l.invoice_no and n.status <> 'Submitted')) sold
           group by 1, 2) s
    join sales_order_line l on l.order_no = s.order_no and l.line_no = s.line_no
   where s.issued is not null`

/** One text per order line `e` of which more was issued than ordered, or more invoiced than issued. */
const oversold = (e: Sql) => sql`
  select 'line ' || e.line_no || ' of order ' || e.order_no || ': '
         || case v.what when 1 then e.ordered || ' ordered' else e.invoiced || ' invoiced' end
         || ', in the ledger ' || e.issued || ' issued'
    from (${e}) e
   cross join lateral (values (1, e.issued > e.ordered), (2, e.invoiced > e.issued)) v(what, holds)
   where v.holds
   order by v.what, e.order_no, e.line_no`

/** The sum of a line's IGST, SGST and CGST columns; null if all are empty. */
const inColumns = (alias: string) => {
  const told = ['igst_amt', 'sgst_amt', 'cgst_amt'].map((name) => given(alias, name))
  const sum = told.map((one) => `coalesce(${one}, 0)`).join(' + ')
  return raw(`case when coalesce(${told.join(', ')}) is not null then ${sum} end`)
}

/** The tax of a line `d` in its columns and its own tax rows; null if it has neither, or may have a share of the invoice's tax. */
const taxOfLine = sql`
  case when d.taxes is null then (${inColumns('d')})
       when not exists (select from invoice_tax w where w.invoice_no = d.invoice_no and w.line_no = 0)
       then coalesce(${inColumns('d')}, 0)
            + (select sum(w.amount) from invoice_tax w where w.invoice_no = d.invoice_no and w.line_no = d.line_no) end`

export default defineEntity({
  name: 'invoice_items',
  table: 'invoice_line',
  about:
    'One row per line of an invoice or credit note. In India it has IGST between states, and SGST and CGST inside a state.',
  order: 190,
  key: ['invoice_no', 'line_no'],
  columns: {
    invoice_no: Code('Number of the invoice.', { example: 'INV-00001' }),
    line_no: Integer(1, 'Number of the line inside the invoice.'),
    order_no: Optional(Code('Number of the order that the line is for, if any.', { example: 'SO-00001' })),
    order_line_no: Optional(Integer(1, "Number of the order's line.")),
    sku: Optional(
      ItemCode('item_id', "Code of the item; empty for the item of the order's line, for freight or for a text."),
    ),
    description: Optional(Text('Free text.'), ''),
    qty: Quantity('Invoiced quantity; negative on a credit note.', { smallest: 'any' }),
    rate: Price('Price of one unit before tax.', { smallest: 'any' }),
    taxable_value: Amount('Amount before tax.', { smallest: 'any' }),
    igst_rate: Optional(Percent('IGST rate in percent.')),
    igst_amt: Optional(Amount('IGST.', { smallest: 'any' })),
    sgst_rate: Optional(Percent('SGST rate in percent.')),
    sgst_amt: Optional(Amount('SGST.', { smallest: 'any' })),
    cgst_rate: Optional(Percent('CGST rate in percent.')),
    cgst_amt: Optional(Amount('CGST.', { smallest: 'any' })),
    total_value: WorkedOut(Amount(TOTAL, { smallest: 'any' })),
    ...unitColumn,
  },
  rules: [
    {
      column: 'order_line_no',
      holds: sql`(s.order_no is null) = (s.order_line_no is null)`,
      expects: "the order's line together with order_no",
    },
    {
      column: 'sku',
      holds: sql`s.sku is not null or s.order_no is not null or s.description <> ''`,
      expects: "an order's line, the code of an item, or a description instead",
    },
    ...['igst', 'sgst', 'cgst'].map((tax) => ({
      column: `${tax}_amt`,
      holds: sql`(s.${raw(`${tax}_rate`)} is null) = (s.${raw(`${tax}_amt`)} is null)`,
      expects: 'an amount if there is a rate, and nothing otherwise',
    })),
  ],
  references: [
    { columns: ['invoice_no'], table: 'invoice', to: ['invoice_no'], entity: 'invoices' },
    {
      columns: ['order_no', 'order_line_no'],
      table: 'sales_order_line',
      to: ['order_no', 'line_no'],
      entity: 'sales_order_items',
    },
  ],
  joins: { o: { table: 'sales_order_line', by: { order_no: 'm.order_no', line_no: 'm.order_line_no' } } },
  contradictions: [
    unitOfItem(
      'a line of an invoice',
      sql`coalesce(m.item_id, o.item_id)`,
      sql`'line ' || m.line_no || ' of invoice ' || m.invoice_no`,
      sql`join (select x.invoice_no, x.line_no, coalesce(x.item_id, l.item_id) as item_id
                  from invoice_line x
                  left join sales_order_line l on l.order_no = x.order_no and l.line_no = x.order_line_no
                 where x.unit is not null) y on y.item_id = c.item_id
          join invoice_line m on m.invoice_no = y.invoice_no and m.line_no = y.line_no`,
      {
        entity: 'sales_order_items',
        through: sql`join invoice_line m on m.order_no = c.order_no and m.order_line_no = c.line_no`,
      },
    ),
  ],
  conversion: {
    document: ['invoice_no'],
    joins: sql`
      join invoice d on d.invoice_no = t.invoice_no
      left join sales_order_line o on o.order_no = t.order_no and o.line_no = t.order_line_no`,
    exchangeRate: sql`d.exchange_rate`,
    item: sql`coalesce(t.item_id, o.item_id)`,
    taxes: {
      ...{
        table: 'invoice_tax',
        taxable: 'taxable_value',
        tax: ['igst_amt', 'sgst_amt', 'cgst_amt'],
        total: 'total_value',
      },
      ofDocument: raw(given('d', 'total_tax')),
    },
    needs: sql`
      select invoice_no from invoice where exchange_rate is not null or given is not null
      union all select invoice_no from invoice_line where unit is not null or given is not null or taxes is not null
      union all select invoice_no from invoice_tax`,
    touched: {
      sales_order_items: sql`
        select x.invoice_no from ${stagedRows('sales_order_items')} s
          join invoice_line x on x.order_no = s.order_no and x.order_line_no = s.line_no where x.unit is not null`,
      invoices: sql`select invoice_no from ${stagedRows('invoices')}`,
      invoice_items: sql`select invoice_no from ${stagedRows('invoice_items')}`,
      invoice_taxes: sql`select invoice_no from ${stagedRows('invoice_taxes')}`,
      items: sql`select invoice_no from invoice_line where unit is not null`,
      item_units: sql`select invoice_no from invoice_line where unit is not null`,
    },
  },
  agreements: [
    {
      check: 'more was issued for an order line than was ordered, or more invoiced than issued',
      scope: {
        ...orderLines.scope,
        name: 'sold_lines',
        touched: {
          combos: orderLines.ofCombos,
          sales_order_items: sql`select order_no, line_no from ${stagedRows('sales_order_items')}`,
          invoices: sql`
            select l.order_no, l.order_line_no as line_no from ${stagedRows('invoices')} s
              join invoice_line l on l.invoice_no = s.invoice_no where l.order_no is not null`,
          invoice_items: sql`
            select order_no, order_line_no as line_no from ${stagedRows('invoice_items')} where order_no is not null`,
          stock_movements: orderLines.moved('issue'),
          item_units: orderLines.ofUnits,
        },
      },
      differing: (x) =>
        oversold(sql`
          select order_no, line_no, ordered, sum_of_few(issued) as issued, sum_of_few(invoiced) as invoiced
            from (${soldOf(x)}) sold
           group by 1, 2, 3
          having sum_of_few(issued) > ordered or sum_of_few(invoiced) > sum_of_few(issued)`),
      ofLedger: sql`
        with combos as materialized (
          select l.order_no, l.line_no, l.item_id from sales_order_line l
           where l.item_id in (select combo_id from combo_line))
        ${oversold(sql`${soldOfLedger} and (s.issued > l.qty or s.invoiced > s.issued)`)}`,
    },
  ],
  doubts: [
    linesAddUp(
      ['invoices', 'invoice_items'],
      'invoice',
      ['invoice_no'],
      'sub_total',
      'x.taxable_value',
      `d.status <> 'Cancelled'`,
    ),
    {
      check: 'total_tax of an invoice is not the sum of its taxes',
      entities: ['invoices', 'invoice_items', 'invoice_taxes'],
      // Not for invoices with shipping, which may be taxed too, or with a line that gets a share of the invoice's tax.
      query: (isLoaded) => sql`
        select 'invoice ' || e.invoice_no || ': total_tax is ' || e.told || coalesce(' ' || e.currency, '')
               || ', its taxes add up to ' || e.found
          from (select d.invoice_no, d.currency, ${raw(given('d', 'total_tax'))} as told, count(*) as lines,
                       coalesce(sum(${inColumns('x')}), 0)
                       + case when bool_or(x.taxes is not null)
                              then (select sum(w.amount) from invoice_tax w where w.invoice_no = d.invoice_no) else 0 end as found
                  from invoice d join invoice_line x on x.invoice_no = d.invoice_no
                 where ${isLoaded('invoice_no')} and d.shipping = 0 and d.status <> 'Cancelled'
                 group by d.invoice_no
                having bool_and((${inColumns('x')}) is not null or x.taxes is not null)) e
         where abs(e.told - e.found) > 0.005 * (e.lines + 1) order by e.invoice_no`,
    },
    lineTotal(['invoice_items', 'invoice_taxes'], 'invoice', ['invoice_no'], {
      ...{ taxable: 'taxable_value', total: 'total_value', tax: taxOfLine },
    }),
  ],
  grants: businessData,
})
