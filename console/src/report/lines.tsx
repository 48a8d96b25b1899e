/** The lines of a document as a small table. */
import type { JSX } from 'preact'
import { flatten, isNumeric, type LinesColumn, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { labelOf } from '../labels.js'
import { Cell } from '../parts/cell.js'
import { Linked } from '../things/link.js'

export function LinesTable({ column, lines }: { column: LinesColumn; lines: readonly Row[] }): JSX.Element {
  const columns = flatten(column.columns)
  if (lines.length === 0) return <p class="quiet">No lines.</p>
  return (
    <div class="lines" role="group" aria-label={labelOf(column.name)} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((flat) => (
              <th
                key={flat.name}
                scope="col"
                class={isNumeric(flat.column) ? 'right' : undefined}
                title={flat.column.description}
              >
                {labelOf(flat.name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, at) => (
            <tr key={at}>
              {columns.map((flat) => (
                <td key={flat.name} class={isNumeric(flat.column) ? 'right' : undefined}>
                  <Linked row={line} flat={flat}>
                    <Cell value={valueIn(line, flat.path)} column={flat.column as ValueColumn} />
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
