/** The order of a report's records, or of the lines of a record: columns of the query that together order them in one way only. */

export interface OrderColumn {
  /** A column of the query. */
  readonly column: string
  readonly descending: boolean
  /** Only views sort by columns that can be null. */
  readonly nullsLast?: true
}

/** Reads an order as a declaration writes it: names of columns, ` desc` after a name for a descending one. */
export const readOrder = (declared: readonly string[]): readonly OrderColumn[] =>
  declared.map((text) => {
    const [, column, desc] = /^(\w+)( desc)?$/.exec(text) ?? []
    if (column === undefined)
      throw new Error(`"${text}" is not a column to order by: write its name, and " desc" after it to descend`)
    return { column, descending: desc !== undefined }
  })

/** The order as text, which names it in fingerprints. */
export const writeOrder = (order: readonly OrderColumn[]): readonly string[] =>
  order.map(
    ({ column, descending, nullsLast }) => `${column}${descending ? ' desc' : ''}${nullsLast ? ' nulls last' : ''}`,
  )
