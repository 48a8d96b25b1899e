/** What movements refer to without a foreign key: the loader and `verify` see that it is there. */

export interface LedgerReference {
  /** The movement's column that names it. */
  column: string
  /** The entity that holds it. */
  entity: string
  /** Selects the movements `m` that name something that is not there. */
  dangling: string
}

const reference = (column: string, entity: string, lookup: string): LedgerReference => ({
  column,
  entity,
  dangling: `select m.movement_no, m.${column} as value from stock_movement m
              where m.${column} is not null and not exists (select from ${lookup})`,
})

export const ledgerReferences: readonly LedgerReference[] = [
  reference(
    'order_no',
    'sales_order_items',
    'sales_order_line t where t.order_no = m.order_no and t.line_no = m.order_line_no',
  ),
  reference('batch_no', 'batches', 'batch t where t.item_id = m.item_id and t.batch_no = m.batch_no'),
  reference('for_batch_no', 'batches', 'batch t where t.item_id = m.for_item_id and t.batch_no = m.for_batch_no'),
  reference('grn_no', 'goods_receipts', 'goods_receipt t where t.po_no = m.po_no and t.grn_no = m.grn_no'),
]
