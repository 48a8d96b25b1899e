/** Statistics for the planner. */
import type { Queryable } from './db.js'

/** Analyzes some columns of a table, for the rest of the load and for the reports after it. */
export const analyze = (tx: Queryable, table: string, columns: readonly string[]) =>
  tx`select analyze_table(${table}, ${columns.join(',')})`

/** Analyzes a staging table with a tenth of the usual sample: the planner needs little more than its size. */
export const analyzeRoughly = (table: string): string =>
  `set local default_statistics_target = 10; analyze ${table}; set local default_statistics_target to default`
