/** The order of a report's records, or of the lines of a record: columns of the query that together are a total order. */

export interface OrderColumn {
  /** A column of the query. */
  readonly column: string
  readonly descending: boolean
  /** Only views sort by columns that can be null. */
  readonly nullsLast?: true
}

/** Reads an order as a declaration writes it: names of columns, each with ` desc` after it to sort descending. */
export const readOrder = (declared: readonly string[]): readonly OrderColumn[] =>
  declared.map((text) => {
    const [, column, desc] = /^(\w+)( desc)?$/.exec(text) ?? []
    if (column === undefined)
      throw new Error(
        `"${text}" is not a column to order by; write the name of a column, followed by " desc" to sort descending`,
      )
    return { column, descending: desc !== undefined }
  })

/** The order as text, for fingerprints. */
export const writeOrder = (order: readonly OrderColumn[]): readonly string[] =>
  order.map(
    ({ column, descending, nullsLast }) => `${column}${descending ? ' desc' : ''}${nullsLast ? ' nulls last' : ''}`,
  )
