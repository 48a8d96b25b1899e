/** The SQLSTATE codes that the program acts on, by the names that PostgreSQL gives them (its manual, appendix A). */
const codes = {
  foreign_key_violation: '23503',
  deadlock_detected: '40P01',
  insufficient_privilege: '42501',
  undefined_column: '42703',
  lock_not_available: '55P03',
  query_canceled: '57014',
} as const

export type SqlState = keyof typeof codes

const names = new Map<unknown, SqlState>(Object.entries(codes).map(([name, code]) => [code, name as SqlState]))

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null | undefined)?.code

/** The name of an error's code, if it is one of the above. */
export const stateOf = (error: unknown): SqlState | undefined => names.get(codeOf(error))

export const hasState = (error: unknown, state: SqlState): boolean => codeOf(error) === codes[state]

const isOfClass = (error: unknown, classes: RegExp): boolean => {
  const code = codeOf(error)
  return typeof code === 'string' && code.length === 5 && classes.test(code)
}

/** Whether the database refused a value or a row: cardinality violation, data exception, integrity constraint violation. */
export const isRefusedRow = (error: unknown): boolean => isOfClass(error, /^2[123]/)

/** Whether the server cannot be used: connection exception, insufficient resources, shutdown. */
export const isUnusableServer = (error: unknown): boolean => isOfClass(error, /^(08|53|57P)/)
