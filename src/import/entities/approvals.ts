import { sql } from '../../db/sql.js'
import { Code, Integer, List, Moment, Optional, Text, Word } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'approvals',
  table: 'purchase_order_approval',
  about: 'One row per group that has to approve a purchase order.',
  order: 100,
  key: ['po_no', 'step'],
  columns: {
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    step: Integer(1, 'Place of the group in the order of approval.'),
    group_name: Text('Name of the group.', { example: 'Finance' }),
    status: Word(['Pending', 'Approved', 'Rejected'], "The group's decision."),
    approver: Optional(Text('Who decided; empty while pending, or if it is not known.')),
    action_at: Optional(Moment('When; empty while pending, or if it is not known.')),
    approvers: Optional(List('Who may decide.'), '{}'),
  },
  rules: [
    {
      column: 'approver',
      holds: sql`s.status <> 'Pending' or s.approver is null`,
      expects: 'nothing while the status is Pending',
    },
    {
      column: 'action_at',
      holds: sql`s.status <> 'Pending' or s.action_at is null`,
      expects: 'nothing while the status is Pending',
    },
  ],
  references: [{ columns: ['po_no'], table: 'purchase_order', to: ['po_no'], entity: 'purchase_orders' }],
  grants: businessData,
})
