/** The SQLSTATE codes that the program acts on, by the names that PostgreSQL gives them (its manual, appendix A). */
const codes = {
  foreign_key_violation: '23503',
  unique_violation: '23505',
  dependent_objects_still_exist: '2BP01',
  deadlock_detected: '40P01',
  insufficient_privilege: '42501',
  undefined_column: '42703',
  lock_not_available: '55P03',
  query_canceled: '57014',
  internal_error: 'XX000',
} as const

export type SqlState = keyof typeof codes

const names = new Map<unknown, SqlState>(Object.entries(codes).map(([name, code]) => [code, name as SqlState]))

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null | undefined)?.code

/** The name of an error's code, if it is one of the above. */
export const stateOf = (error: unknown): SqlState | undefined => names.get(codeOf(error))

export const hasState = (error: unknown, state: SqlState): boolean => codeOf(error) === codes[state]

const isOfClass = (error: unknown, classes: RegExp): boolean => {
  const code = codeOf(error)
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && classes.test(code)
}

/** Whether the database refused a value or a row: cardinality violation, data exception, integrity constraint violation. */
export const isRefusedRow = (error: unknown): boolean => isOfClass(error, /^2[123]/)

/** A database that takes no writes: signing in and counting requests need them. */
export const READ_ONLY = 'the database is read-only, or a standby that is not promoted yet'
const OTHER_SESSION = 'a prepared statement is in another session: a pooler before the database must pool sessions'
const OTHER_TABLES = 'the database does not have the tables of this version of the service'

/**
 * Why the database refuses a statement or a connection though the statement is right, by code or by class of codes: an operator can mend
 * the cause, or it passes. Every other code is a fault of this program.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  '08': 'the database does not respond',
  '25006': READ_ONLY,
  '25P03': 'the database ended a transaction that was idle for too long',
  '25P04': 'the database ended a transaction that took too long',
  '26': OTHER_SESSION,
  '28': 'the database refuses the login of the service',
  '3D': 'the database does not exist',
  '3F': OTHER_TABLES,
  '40': 'the database rolled the transaction back, because another one was in its way',
  '42501': 'the database denies the service a right that it needs',
  '42703': OTHER_TABLES,
  '42704': OTHER_TABLES,
  '42883': OTHER_TABLES,
  '42P01': OTHER_TABLES,
  '42P05': OTHER_SESSION,
  '53': 'the database lacks memory, disk space or connections',
  '55': 'the database is not in a state to do this, probably because of maintenance',
  '57': 'the database does not respond', // it is shutting down, starting, or was dropped
  '58': 'the database reported a failure of its system, such as its disk',
  '72': 'the database no longer has the state of the data that the request began with',
  F0: 'the database has an error in its configuration',
  HV: 'the database cannot use another database that it depends on',
  XX: 'the database reported an internal failure or damaged data',
}

/** Whether a refusal ends without a change by an operator: connection exception, insufficient resources, shutdown or start of the server. */
export const passesByItself = (error: unknown): boolean => isOfClass(error, /^(08|53|57P0[1235])/)

/** Whether a connection failed: to the server, or from the coordinator of a cluster to a node. */
export const isConnectionFailure = (error: unknown): boolean => isOfClass(error, /^08/)

/** See REFUSALS; undefined for any other error. */
export function refusalOf(error: unknown): string | undefined {
  const code = codeOf(error)
  return isOfClass(error, /^/) ? (REFUSALS[code as string] ?? REFUSALS[(code as string).slice(0, 2)]) : undefined
}
