/** The kinds of stock movement: how each changes the stock, and in which column of which report it counts. */

interface Kind {
  /** The sign with which it changes quantity and value of the stock. */
  stock: 1 | -1 | 0
  /** The sign with which it changes the held stock. */
  held: 1 | -1 | 0
  /** Its column in the stock status of finished goods; null if it only moves stock between active and held. */
  fg: FgColumn | null
  /** Its column in the stock status of materials. */
  material: MaterialColumn | null
}

export type FgColumn =
  | 'Receipts_PRD'
  | 'Receipts_PUR'
  | 'Receipts_TRF'
  | 'Receipts_OTH'
  | 'Returned'
  | 'Issued'
  | 'Trashed'
  | 'MovetoBad'
  | 'Transfered'
  | 'UnPacked'

export type MaterialColumn = 'Receipts' | 'Consumption' | 'Reject' | 'Shortage' | 'Transfer' | 'MovetoBad' | 'Trashed'

export const kinds = {
  production_receipt: { stock: 1, held: 0, fg: 'Receipts_PRD', material: 'Receipts' },
  purchase_receipt: { stock: 1, held: 0, fg: 'Receipts_PUR', material: 'Receipts' },
  transfer_in: { stock: 1, held: 0, fg: 'Receipts_TRF', material: 'Receipts' },
  /** Opening stock, or a surplus found at a count. */
  other_receipt: { stock: 1, held: 0, fg: 'Receipts_OTH', material: 'Receipts' },
  /** A customer's return that can be sold again. */
  sales_return: { stock: 1, held: 0, fg: 'Returned', material: 'Receipts' },
  /** To a customer. */
  issue: { stock: -1, held: 0, fg: 'Issued', material: 'Consumption' },
  /** In production. */
  consumption: { stock: -1, held: 0, fg: 'Issued', material: 'Consumption' },
  rejection: { stock: -1, held: 0, fg: 'Trashed', material: 'Reject' },
  shortage: { stock: -1, held: 0, fg: 'Trashed', material: 'Shortage' },
  trash: { stock: -1, held: 0, fg: 'Trashed', material: 'Trashed' },
  move_to_bad: { stock: -1, held: 0, fg: 'MovetoBad', material: 'MovetoBad' },
  transfer_out: { stock: -1, held: 0, fg: 'Transfered', material: 'Transfer' },
  /** A physical combo taken apart. */
  unpack: { stock: -1, held: 0, fg: 'UnPacked', material: 'Consumption' },
  hold: { stock: 0, held: 1, fg: null, material: null },
  release: { stock: 0, held: -1, fg: null, material: null },
  /** Without an order: samples, maintenance, own use. */
  internal_issue: { stock: -1, held: 0, fg: 'Issued', material: 'Consumption' },
  /** Purchased goods that go back. */
  vendor_return: { stock: -1, held: 0, fg: 'Issued', material: 'Reject' },
  /** Of the value alone, with quantity 0: landed cost, revaluation. */
  value_increase: { stock: 1, held: 0, fg: 'Receipts_OTH', material: 'Receipts' },
  value_decrease: { stock: -1, held: 0, fg: 'Trashed', material: 'Trashed' },
} as const satisfies Record<string, Kind>

export type MovementKind = keyof typeof kinds
