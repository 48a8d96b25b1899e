/** Words that people read. */

/** The groups of reports with their names, in the order of the rail. */
export { groupWords as GROUPS } from '../../src/groups.js'
export { labelOf } from '../../src/kernel/report/labels.js'

/** `1 row`, `1,204 rows` */
export const counted = (count: string, one: string, many = `${one}s`): string =>
  `${count} ${count === '1' ? one : many}`

/** The pages of operators, by the last part of their path. */
export const OPERATE: Readonly<Record<string, string>> = {
  clients: 'Clients',
  users: 'Users',
  sessions: 'Sessions',
  audit: 'Audit trail',
}

/** Pages for loaders and operators, by their path. */
export const DATA: Readonly<Record<string, string>> = {
  import: 'Bring in files',
  loads: 'Loads',
}
