/** A list of the operators' pages: a table, and on a narrow page a card for each row. */
import { type ComponentChildren, Fragment, type JSX } from 'preact'

export interface DataColumn<T> {
  readonly title: string
  /** Right-aligned, for numbers. */
  readonly right?: boolean
  /** Buttons; a card has them in its corner. */
  readonly actions?: boolean
  /** The row's name; the heading of its card. */
  readonly names?: boolean
  /** A card leaves out a cell without content. */
  cell(row: T): ComponentChildren
}

interface Props<T> {
  caption: string
  columns: readonly DataColumn<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** Details that open below a row. */
  below?: (row: T) => ComponentChildren
}

export function DataTable<T>({ caption, columns, rows, keyOf, below }: Props<T>): JSX.Element {
  return (
    <table class="data cards">
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, right, actions }) => (
            <th key={title} scope="col" class={right ? 'right' : undefined}>
              {actions ? <span class="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const unfolded = below?.(row)
          return (
            <Fragment key={keyOf(row)}>
              <tr>
                {columns.map(({ title, right, actions, names, cell }) =>
                  names ? (
                    <th key={title} scope="row">
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={title} class={actions ? 'do' : right ? 'right' : undefined} data-title={title}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
              {unfolded && (
                <tr class="below">
                  <td colSpan={columns.length}>{unfolded}</td>
                </tr>
              )}
            </Fragment>
          )
        })}
      </tbody>
    </table>
  )
}
