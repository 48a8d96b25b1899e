/** Trace: where the batches of a document went and where they came from, through all levels. */
import { defineReport } from '../../kernel/report/report.js'
import { groupsNamed, request } from '../shared/trace.js'
import { batches } from '../shared/trace-batches.js'
import { events } from '../shared/trace-events.js'
import { links } from '../shared/trace-links.js'
import { parties } from '../shared/trace-parties.js'

export default defineReport({
  id: 'insight.trace',
  method: 'POST',
  path: '/v1/insight/trace',
  title: 'Trace',
  summary: 'Where batches came from and where they went, through all levels',
  askedAs: [
    'recall of a batch: which customers got it',
    'trace a lot forward and backward, contamination',
    'who received products made with a batch or a supplier lot',
  ],
  description: `Starts with exactly one of \`batch_no\`, \`order_no\`, \`invoice_no\` and \`grn_no\`, and follows the batches of the start through production:
forward to everything that was made of them and to its customers, backward to everything that they were made of and to its vendors. The batches
of an order or a receipt are followed to everything that they reach, so other customers come up too. A start that does not exist has no
records.

A batch reaches the batches that a consumption of it names; transfers stay inside a batch. Each batch is reached once per direction, with its
smallest depth, so rework ends: the link that leads back to a batch is shown and not followed. Stock without a batch has its item and a null
batch, consumption for nobody knows what has neither; links show both and do not follow them. If the start moved stock without a batch, only its
own shipments and receipts of that stock are shown.

| \`show\` | records | order |
|---|---|---|
| links | one per from, to and document, with the sum of its movements | \`direction\`, \`depth\`, \`link\`, the ends |
| batches | one per direction and batch, the starts once as \`start\`, with the balance of the whole history of the batch | \`direction\`, \`depth\`, \`sku\`, \`batch_no\` |
| parties | one per customer (forward) or vendor (backward) and batch | \`party_kind\`, \`code\`, \`sku\`, \`batch_no\` |
| events | one per event, batch, document and day | \`event\`, \`lot\`, \`item\`, \`date\`, document |

The depth of a link is one more than that of the batch from which the trace followed it. What a customer returned runs from the customer to the
batch, and stands in forward at the depth of the shipment; what went back to a vendor stands in backward. In \`batches\`,
\`produced_qty\` + \`purchased_qty\` + \`returned_qty\` + \`other_in_qty\` + \`transferred_in_qty\` = \`consumed_qty\` + \`shipped_qty\` + \`vendor_returned_qty\`
+ \`own_use_qty\` + \`unpacked_qty\` + \`wasted_qty\` + \`transferred_out_qty\` + \`stock_qty\` on every record. \`events\` has the receipts of batches in
backward, their shipments in forward, and of every produced batch that was reached its receipts from production.

Parties and events need the group \`sales\` forward, \`purchase\` backward, and both for \`both\`: other callers get 403. In links, parties and documents
of a group that the caller may not use are null, and links that differ in nothing else are added up.`,
  request,
  needs: groupsNamed,
  masks: ['sales', 'purchase'],
  variants: { by: 'show', shapes: { links, batches, parties, events } },
})
