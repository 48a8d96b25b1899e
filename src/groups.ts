/** The groups of reports: a client may be limited to some of them, and they are the scopes of tokens. */
export const groups = ['masters', 'purchase', 'grn', 'inventory', 'production', 'sales', 'partner'] as const
export type Group = (typeof groups)[number]
