/** The reports of the page, and what its lists start from. */
export const COVER = 'insight.cover'
export const SHORTAGE = 'insight.shortage'

/** Stock that runs out, the open orders of customers, or a plan: as the URL names it. */
export type Source = 'cover' | 'orders' | 'plan'
