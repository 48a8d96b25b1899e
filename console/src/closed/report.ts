/** The report of closed periods, which has a page of its own. */
export const CLOSED = 'history.closed-periods'
