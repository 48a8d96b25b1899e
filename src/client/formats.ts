/** Formats of files. Made from src/formats/ by `npm run client`; do not edit. */
export type FileFormat = 'csv' | 'ndjson' | 'parquet' | 'xlsx'

export const fileFormats: readonly FileFormat[] = ['csv', 'ndjson', 'parquet', 'xlsx']

export interface FileOptions {
  /** Whether a file has the lines of documents; by default no in csv, yes in xlsx. In csv `no` gives one row per document, `yes` one row per line of the first list among the fields, such as `items`, with the key of its document. In xlsx documents are one sheet, and each list of lines is another. */
  readonly lines?: 'yes' | 'no'
  /** In csv: `safe` puts an apostrophe before texts that a spreadsheet would run as formulas; `as-is` by default, `safe` for browsers. */
  readonly formulas?: 'as-is' | 'safe'
  /** In xlsx: `api` heads the columns with the names of the API, as csv does; `words` by default. */
  readonly headings?: 'words' | 'api'
  readonly signal?: AbortSignal
}
