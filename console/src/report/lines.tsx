/** The lines of a document as a small table. */
import type { JSX } from 'preact'
import {
  type Flat,
  flatten,
  isAbsent,
  isNumeric,
  type LinesColumn,
  type Row,
  type ValueColumn,
  valueIn,
} from '../catalogue.js'
import { labelOf } from '../labels.js'
import { Cell } from '../parts/cell.js'
import { headingOf, plainText } from '../people.js'
import { Linked } from '../things/link.js'
import { digitsIn } from './widths.js'

interface Props {
  column: LinesColumn
  lines: readonly Row[]
  /** The record of the lines. */
  record: Row
}

export function LinesTable({ column, lines, record }: Props): JSX.Element {
  // A column without any value says nothing about these lines.
  const columns = flatten(column.columns).filter((flat) => !isBlank(flat, lines))
  if (lines.length === 0) return <p class="quiet">No lines.</p>
  return <ColumnsOfLines label={labelOf(column.name)} columns={columns} lines={lines} record={record} />
}

interface ColumnsProps {
  label: string
  columns: readonly Flat[]
  lines: readonly Row[]
  record: Row
}

/** These columns of the lines. */
export function ColumnsOfLines({ label, columns, lines, record }: ColumnsProps): JSX.Element {
  const digits = new Map(columns.map((flat) => [flat.name, digitsIn(flat, lines)]))
  return (
    <div class="lines" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((flat) => (
              <th
                key={flat.name}
                scope="col"
                class={isNumeric(flat.column) ? 'right' : undefined}
                title={plainText(flat.column.description)}
              >
                {headingOf(flat)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, at) => (
            <tr key={at}>
              {columns.map((flat) => (
                <td key={flat.name} class={isNumeric(flat.column) ? 'right' : undefined} data-word={headingOf(flat)}>
                  <Linked row={line} flat={flat}>
                    <Cell
                      value={valueIn(line, flat.path)}
                      column={flat.column as ValueColumn}
                      record={record}
                      digits={digits.get(flat.name)}
                    />
                  </Linked>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Whether no row has a value in the column. */
export const isBlank = ({ column, path }: Flat, rows: readonly Row[]): boolean =>
  column.kind !== 'lines' &&
  rows.every((row) => {
    const value = valueIn(row, path)
    return value === '' || isAbsent(value, column)
  })
