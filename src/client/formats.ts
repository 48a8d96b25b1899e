/** Formats of files. Made from src/formats/ by `npm run client`; do not edit. */
export type FileFormat = 'csv' | 'ndjson' | 'parquet' | 'xlsx'

export const fileFormats: readonly FileFormat[] = ['csv', 'ndjson', 'parquet', 'xlsx']

export interface FileOptions {
  /** In a table (csv, xlsx): `no` for one row per document, without its lines; `yes` by default. */
  readonly lines?: 'yes' | 'no'
  /** In csv: `safe` puts an apostrophe before texts that a spreadsheet would run as formulas; `as-is` by default, `safe` for browsers. */
  readonly formulas?: 'as-is' | 'safe'
  readonly signal?: AbortSignal
}
