/** The groups of reports, which are also the scopes of tokens: clients and users may be limited to some groups. */
export const groups = [
  'masters',
  'purchase',
  'grn',
  'inventory',
  'production',
  'sales',
  'insight',
  'partner',
  'history',
] as const
export type Group = (typeof groups)[number]

/** The names of groups for people, in the order of the console's menu, and what their reports have. */
export const groupWords: readonly (readonly [group: Group, name: string, contents: string])[] = [
  ['inventory', 'Stock', 'stock, its value, batches and movements'],
  ['sales', 'Sales', 'orders, invoices, dispatches, margins and customers'],
  ['production', 'Production', 'batches, work orders, bills of materials and consumption'],
  ['purchase', 'Purchase', 'purchase orders with their prices, and vendors'],
  ['grn', 'Goods receipts', 'receipts with their amounts'],
  ['insight', 'Insight', 'traces of batches, ages, expiry, cover, shortages, and how vendors and customers perform'],
  ['partner', 'For partners', 'stock by batch, order status and pending deliveries, without prices of purchases'],
  ['masters', 'Masters', 'items and warehouses'],
  ['history', 'History', 'what loads changed, and closed periods; together with all other groups'],
]

/** Whether a caller may use the reports of a group; null allows all groups. */
export const mayUse = (caller: { readonly groups: readonly string[] | null }, group: Group): boolean =>
  caller.groups === null || caller.groups.includes(group)

/** The groups that all of these limits allow; null means no limit. */
export function commonGroups(...limits: readonly (readonly string[] | null)[]): string[] | null {
  const given = limits.filter((limit) => limit !== null)
  return given.length === 0 ? null : groups.filter((group) => given.every((limit) => limit.includes(group)))
}
