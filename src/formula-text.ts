/** Texts that a spreadsheet would run as formulas. */

/** Spreadsheets run a text with such a beginning as a formula (OWASP, "CSV injection"). */
const FORMULA = /^[=+\-@\t\r]/

/** The text with an apostrophe before it, if a spreadsheet would run it as a formula. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)
