/** Words by which rows of a sheet say that they sum up. */

const TOTAL = /^\W*(grand|sub|net|day|month|page|group|monthly|daily|weekly|all)?[\s-]*totals?\b|\btotals?\W*$/i

export const isTotal = (text: string): boolean => TOTAL.test(text)
