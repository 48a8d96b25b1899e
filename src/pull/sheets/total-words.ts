/** Words by which rows of a sheet say that they sum up. */

const TOTAL = /^\W*(grand|sub|net|day|month|page|group|monthly|daily|weekly|all)?[\s-]*totals?\b|\btotals?\W*$/i

/** A total and no name: Sub total, and not Total Foods. */
const ONLY = /^\W*(grand|sub|net|day|month|page|group|monthly|daily|weekly|all|g)?[\s.-]*totals?\W*$/i

export const isOnlyTotal = (text: string): boolean => ONLY.test(text)

export const isTotal = (text: string): boolean => TOTAL.test(text)
