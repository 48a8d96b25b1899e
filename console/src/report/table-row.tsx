/** A row of a table, its unfolded lines, and the row of totals. */
import type { JSX } from 'preact'
import { type Flat, type LinesColumn, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { counted } from '../labels.js'
import { Cell, Num } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { Linked } from '../things/link.js'
import { type Cursor, isInRange } from './cursor.js'
import { LinesTable } from './lines.js'
import type { Look } from './look.js'
import { sumOf } from './sums.js'

interface Props {
  look: Look
  /** Undefined while the row is being fetched. */
  row: Row | undefined
  index: number
  top: number
  height: number
  selected: boolean
  unfolded: boolean
  cursor: Cursor
  canDrill: (column: Flat) => boolean
  onClick: (event: MouseEvent, index: number) => void
}

export function TableRow(props: Props): JSX.Element {
  const { look, row, index, top, height, selected, unfolded, cursor, canDrill, onClick } = props
  const { shown, template, cellClass, sticky } = look
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      class={selected ? 'row selected' : 'row'}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: template, height: `${height}px` }}
      onClick={(event) => onClick(event, index)}
    >
      {shown.map((flat, at) => {
        const ranged = isInRange(cursor, index, at)
        return (
          <div
            key={flat.name}
            role="gridcell"
            aria-colindex={at + 1}
            aria-selected={ranged || undefined}
            aria-expanded={flat.column.kind === 'lines' && row !== undefined ? unfolded : undefined}
            class={ranged ? `${cellClass(flat, at)} ranged` : cellClass(flat, at)}
            style={sticky(at)}
            data-column={at}
            tabIndex={cursor.row === index && cursor.column === at ? 0 : -1}
          >
            {row === undefined ? (
              <span class="skeleton" />
            ) : (
              <Content row={row} flat={flat} unfolded={unfolded} drill={canDrill(flat)} />
            )}
          </div>
        )
      })}
    </div>
  )
}

function Content({ row, flat, unfolded, drill }: { row: Row; flat: Flat; unfolded: boolean; drill: boolean }) {
  const value = valueIn(row, flat.path)
  if (flat.column.kind === 'lines') {
    const count = (value as unknown[]).length
    return (
      <span class="fold">
        <Icon name={unfolded ? 'down' : 'right'} /> {counted(String(count), 'line')}
      </span>
    )
  }
  const cell = (
    <Linked row={row} flat={flat} inGrid>
      <Cell value={value} column={flat.column as ValueColumn} />
    </Linked>
  )
  return drill && value !== null && value !== '' ? <span class="drill">{cell}</span> : cell
}

/** The lines of a row, below it. */
export const Unfolded = (props: {
  columns: readonly Flat[]
  row: Row
  top: number
  height: number
  width: number
}): JSX.Element => (
  <div class="unfolded" role="row" style={{ transform: `translateY(${props.top}px)`, height: `${props.height}px` }}>
    <div class="sticky" role="gridcell" style={{ width: `${props.width - 48}px` }}>
      {props.columns
        .filter(({ column }) => column.kind === 'lines')
        .map(({ column, path, name }) => (
          <LinesTable key={name} column={column as LinesColumn} lines={valueIn(props.row, path) as Row[]} />
        ))}
    </div>
  </div>
)

/** The label is in the first column. */
export function TotalsRow(props: { look: Look; totals: Row; label: string; rowIndex: number }): JSX.Element {
  const { look, totals, label, rowIndex } = props
  const { shown, template, full, cellClass, sticky } = look
  return (
    <div
      class="totals"
      role="row"
      aria-rowindex={rowIndex}
      style={{ gridTemplateColumns: template, width: `${full}px` }}
    >
      <div class="cell label pinned" role="gridcell" style={{ position: 'sticky', left: '0' }} title={label}>
        <span>{label}</span>
      </div>
      {shown.slice(1).map((flat, i) => {
        const sum = sumOf(totals, flat)
        return (
          <div
            key={flat.name}
            role="gridcell"
            class={cellClass(flat, i + 1)}
            style={sticky(i + 1)}
            data-total={flat.name}
            title={sum?.title}
          >
            {sum !== undefined && (sum.isNumber ? <Num text={sum.text} /> : <span>{sum.text}</span>)}
          </div>
        )
      })}
    </div>
  )
}
