/** The meaning and the target of each figure. */

/**
 * @typedef {object} Meaning
 * @property {string} what the measured figure
 * @property {string} against the baseline
 * @property {number} [least] the smallest ratio that meets the target
 * @property {number} [most] the largest ratio that meets the target
 * @property {true} [ofSize] the ratio depends on the size of the company
 */

/** @type {Record<string, Meaning>} */
export const figures = {
  warm_page: { what: 'Warm page of 20 records', against: 'bare Fastify sending the same bytes', least: 0.75 },
  warm_page_node_http: { what: 'Warm page of 20 records', against: 'bare `node:http` sending the same bytes' },
  warm_page_plain: { what: 'Warm page of 20 records', against: 'a plain implementation of the endpoint', ofSize: true },
  warm_page_1000_connections: { what: 'Warm page, 1000 connections: p99', against: 'p50', most: 5 },
  warm_page_during_load: { what: 'Warm page during a load of 1M movements: p95', against: 'quiet p95', most: 2 },
  warm_page_locked: {
    what: 'Warm page while the invoices are locked and 24 requests wait for them: p99',
    against: 'quiet p99',
    most: 2,
  },
  replica_stock: {
    what: 'Cold FG stock status, a month, from a replica',
    against: 'from the primary',
    most: 1.15,
  },
  replica_page: { what: 'Cold page of 20 invoices, from a replica', against: 'from the primary', most: 1.3 },
  replica_after_load: {
    what: 'From the commit of a version to a replica that is read from',
    against: 'the time after which `millbook import` returns',
    most: 1,
  },
  replica_primary_cpu: {
    what: "The primary's processor time for 30 stock reports that a replica answers",
    against: 'that it answers itself',
    most: 0.1,
  },
  replica_log: {
    what: 'Log that a load of 1M movements sends to each replica',
    against: 'space that it adds to the database',
  },
  replica_replay: {
    what: 'A replica replays the rest of a load of 1M movements after its commit',
    against: 'the load',
    most: 0.1,
  },
  console_first_row: {
    what: 'Console: first row of FG stock status after signing in, in a browser that was never here',
    against: '1 s',
    most: 1,
  },
  console_chart: {
    what: 'Console: chart of 200,000 invoices by month and place, which the service computes, from its address to its bars',
    against: 'the 2 s in which it is drawn',
    most: 1,
    ofSize: true,
  },
  fg_month: {
    what: 'Cold FG stock status, a month, 10M movements',
    against: 'psql over the raw ledger',
    most: 0.1,
    ofSize: true,
  },
  fg_month_by_closings: {
    what: 'Cold FG stock status, a month, 10M movements',
    against: 'psql over the closings',
  },
  fg_month_plain: {
    what: 'Cold FG stock status, a month, 10M movements',
    against: 'a plain implementation of the endpoint',
    ofSize: true,
  },
  fg_month_10x_history: {
    what: 'Cold FG stock status, a month, 10M movements',
    against: 'the same with a tenth of the history',
    most: 1.3,
  },
  fg_inside_months: {
    what: 'Cold FG stock status, 12 April to 11 May, 10M movements',
    against: 'psql over the raw ledger',
    ofSize: true,
  },
  fg_inside_months_by_closings: {
    what: 'Cold FG stock status, 12 April to 11 May, 10M movements',
    against: 'psql over the closings',
  },
  fg_year: {
    what: 'Cold FG stock status, a year, 10M movements',
    against: 'psql over the raw ledger',
    most: 0.2,
    ofSize: true,
  },
  fg_year_by_closings: {
    what: 'Cold FG stock status, a year, 10M movements',
    against: 'psql over the closings',
  },
  trace: { what: 'Cold trace of a batch, the slowest of its four shows, 10M movements', against: '0.1 s', most: 1 },
  trace_10x: {
    what: 'Cold trace of a batch, all four shows, 10M movements',
    against: 'the same with a tenth of the batches and movements',
    most: 1.3,
  },
  derived_bytes_sample: {
    what: 'Space of the tables derived from the ledger',
    against: 'the ledger with its indexes',
    most: 1,
  },
  derived_bytes_thin: { what: 'The same on thin books', against: 'the ledger with its indexes', most: 1 },
  derived_bytes_skewed: {
    what: 'The same with 65,000 batches of one item',
    against: 'the ledger with its indexes',
    most: 1,
  },
  fg_month_thin: {
    what: 'Cold FG stock status, a month, thin books',
    against: 'psql over the raw ledger',
    ofSize: true,
  },
  fg_month_skewed: {
    what: 'Cold FG stock status, a month, 65,000 batches of one item',
    against: 'psql over the raw ledger',
    ofSize: true,
  },
  cold_page_whole_thin: {
    what: 'Page of 20 of material stock, a quarter, thin books, cold',
    against: 'the whole',
    most: 1.05,
  },
  skew: {
    what: 'The load, check or report that grows fastest: 65,000 batches, 20,000 customers, 100,000 orders of one item',
    against: 'a tenth of them',
    most: 12,
  },
  embedded_skew: {
    what: 'The load, check or report that grows fastest: 65,000 batches, 20,000 customers, 100,000 orders of one item',
    against: 'a tenth of them',
    most: 12,
  },
  cold_page_whole_skewed: {
    what: 'Page of 20 of 65,000 batches of one item, cold',
    against: 'a page of 1000',
    most: 1.05,
  },
  invoices_first_page: { what: 'Cold page 1 of 100: 1000 invoices with lines', against: 'psql', most: 1.3 },
  invoices_middle_page: { what: 'Cold page 50 of 100: 1000 invoices with lines', against: 'psql', most: 1.3 },
  invoices_last_page: { what: 'Cold page 100 of 100: invoices with lines', against: 'psql', most: 1.3 },
  invoices_first_page_plain: {
    what: 'Cold page 1 of 100: 1000 invoices with lines',
    against: 'a plain implementation of the endpoint',
  },
  whole_fg_own_statement: {
    what: 'Whole FG stock status, a quarter, cold',
    against: 'psql with the same statement',
    most: 1.15,
  },
  whole_invoices_own_statement: {
    what: 'Walk over 100,000 invoices by pages of 1000, cold',
    against: 'psql with the same statement',
  },
  walk: { what: 'Walk over 100,000 records by pages of 1000, cold', against: 'the whole report, cold', most: 3 },
  cold_page_by_key: {
    what: 'Any page of 20 of 100,000 invoices, right after a load: p50',
    against: 'psql, by key',
    most: 4,
  },
  cold_random_callers: {
    what: 'Ten callers at random pages of 20 of 100,000 invoices in the 3 s after a load',
    against: 'the same, warm',
    least: 0.3,
    ofSize: true,
  },
  cold_walk_psql: { what: 'Walk over 100,000 invoices by pages of 1000, cold', against: 'psql', most: 1.1 },
  cold_page_whole: { what: 'Page of 20 of an aggregated report, cold; the worst', against: 'the whole', most: 1.05 },
  after_other_load: { what: 'Page after a load that does not touch its report', against: 'warm', most: 2 },
  whole_memory: { what: 'Whole report of 1M records: memory of the process', against: 'the limit', most: 1 },
  whole_memory_growth: {
    what: 'Whole report of 1M records: memory of the process',
    against: 'the same with 100,000 records',
    most: 1.2,
  },
  format_csv: { what: 'Whole report of 1M records as CSV, cold', against: 'as JSON', most: 1.5 },
  format_ndjson: { what: 'Whole report of 1M records as NDJSON, cold', against: 'as JSON', most: 1.5 },
  format_parquet: { what: 'Whole report of 1M records as Parquet, cold', against: 'as JSON', most: 3 },
  format_xlsx: { what: 'Whole report of 1M records as XLSX, cold', against: 'as JSON', most: 5 },
  format_memory: {
    what: 'Whole report of 1M records in each format: memory of the process',
    against: 'the limit',
    most: 1,
  },
  group_by_month: { what: '1M movements by month and unit, with sums, cold', against: 'psql', most: 1.3 },
  chart_200k_invoices: {
    what: '200,000 invoices by month and place, for a chart, cold',
    against: 'the 2 s in which it is drawn',
    most: 1,
    ofSize: true,
  },
  menu_200k_invoices: {
    what: 'The 50 most frequent customers of 200,000 invoices, for a menu, cold',
    against: 'the 0.3 s in which a menu opens',
    most: 1,
    ofSize: true,
  },
  menu_1m_movements: {
    what: 'The kinds of 1M movements with their counts, for a menu, cold',
    against: 'the 0.3 s in which a menu opens',
    most: 1,
    ofSize: true,
  },
  insight_stock_ageing: {
    what: 'Stock ageing of each item, 1M movements, cold',
    against: 'psql',
    most: 1.5,
  },
  insight_expiry: {
    what: 'Expiring stock, 1M movements, cold',
    against: 'psql',
    most: 1.5,
  },
  insight_cover: {
    what: 'Cover of each item, 1M movements, cold',
    against: 'psql',
    most: 1.5,
  },
  insight_producible: {
    what: 'Producible quantities of all products, 1M movements, cold',
    against: 'the 2 s that people wait for it',
    most: 1,
    ofSize: true,
  },
  insight_shortage: {
    what: 'Shortages of the open orders, 1M movements, cold',
    against: 'the 2 s that people wait for it',
    most: 1,
    ofSize: true,
  },
  insight_slowest: {
    what: 'The slowest of these five reports',
    against: 'the 2 s that people wait for it',
    most: 1,
    ofSize: true,
  },
  history_load: {
    what: 'Loading all files of a company with 1M movements',
    against: 'the same without a history',
    most: 1.1,
  },
  history_space: {
    what: 'Space of a company with 1M movements that never change',
    against: 'the same without a history',
    most: 1.06,
  },
  history_present_month: {
    what: 'Stock status of a month by raw ledger, 1M movements',
    against: 'the same without a history',
    most: 1.02,
  },
  history_load_changed_rows: {
    what: 'Loading 10,000 changed movements into 1M',
    against: 'the same without a history',
    most: 1.15,
  },
  history_as_known_month: {
    what: 'Stock status of a month as known before a load that changed 1 % of 1M movements',
    against: 'psql, the present state by raw ledger',
    most: 3,
  },
  history_changes_page: {
    what: 'The first page of what a load of 10,000 changed movements changed, cold',
    against: 'the 2 s that people wait for it',
    most: 1,
    ofSize: true,
  },
  changes_bytes: {
    what: 'Changes since, 1 % of 100,000 invoices changed: bytes',
    against: 'the whole report',
    most: 0.05,
  },
  changes_time: {
    what: 'Changes since, 1 % of 100,000 invoices changed, cold',
    against: 'the whole report, cold',
    most: 2,
  },
  cold_50_clients: { what: '50 concurrent clients, two processes: runs of the SQL', against: 'one', most: 1 },
  load_movements_postgres: {
    what: 'Loading 1M movements, closings included',
    against: 'a bare COPY into the table',
    least: 0.4,
    ofSize: true,
  },
  load_mixed: {
    what: 'Loading 2.6M mixed rows into an empty database',
    against: '`\\copy` into the same tables with indexes and foreign keys',
    most: 3.5,
    ofSize: true,
  },
  load_one_changed_row: {
    what: 'Loading all files again after one movement changed',
    against: 'the first load of the same files',
    most: 0.1,
    ofSize: true,
  },
  embedded_load_one_changed_row: {
    what: 'Loading all files again after one movement changed',
    against: 'the first load of the same files',
    most: 0.1,
    ofSize: true,
  },
  import_memory: { what: 'Importing a file of 10M rows: memory', against: 'the limit', most: 1 },
  demo_first_start: { what: 'First start of the demo, sample included', against: 'the limit', most: 1 },
  demo_later_start: { what: 'Later start of the demo', against: 'the limit', most: 1 },
  load_movements_embedded: {
    what: 'Loading 1M movements, closings included',
    against: 'the target',
    least: 1,
    ofSize: true,
  },
  load_movements_embedded_inserts: {
    what: 'Loading 1M movements, closings included',
    against: 'plain inserts through the socket',
    least: 0.5,
    ofSize: true,
  },
  embedded_warm_page: { what: 'Warm page of 20 records', against: 'bare Fastify sending the same bytes', least: 0.7 },
  embedded_warm_page_node_http: { what: 'Warm page of 20 records', against: 'bare `node:http` sending the same bytes' },
  embedded_fg_month: { what: 'Cold FG stock status, a month', against: 'SQL over the raw ledger', ofSize: true },
  embedded_fg_month_by_closings: {
    what: 'Cold FG stock status, a month',
    against: 'SQL over the closings',
  },
  embedded_fg_year: { what: 'Cold FG stock status, a year', against: 'SQL over the raw ledger', ofSize: true },
  embedded_invoices_first_page: { what: 'Cold page of 1000 invoices with lines', against: 'hand-written SQL' },
  embedded_walk: { what: 'Walk over 100,000 records by pages of 1000, cold', against: 'the whole report, cold' },
}

/**
 * How many times better than its target a figure is; undefined without a target.
 * @param {{ name: string, ratio: number }} figure
 */
export function margin({ name, ratio }) {
  const { least, most } = figures[name] ?? {}
  if (least !== undefined) return ratio / least
  return most === undefined ? undefined : most / ratio
}

/** @param {{ name: string, ratio: number }} figure */
export function verdict(figure) {
  const { least, most } = figures[figure.name] ?? {}
  const target = least === undefined ? `at most ${most}` : `at least ${least}`
  const by = margin(figure)
  return by === undefined ? 'no target' : `target ${target}: ${by >= 1 ? 'met' : 'missed'}`
}
