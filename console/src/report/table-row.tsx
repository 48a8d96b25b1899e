/** A row of a table, its unfolded lines, and the row of totals. */
import type { JSX } from 'preact'
import { type Flat, type LinesColumn, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { differenceOf, isChanged } from '../differences.js'
import { counted } from '../labels.js'
import { Cell, Num } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { headingOf, leastDigits } from '../people.js'
import { Linked } from '../things/link.js'
import { areBands, BandsBar } from './bands-bar.js'
import { CardCells, type CellAttributes, PeriodCell } from './cards.js'
import { type Cursor, isInRange } from './cursor.js'
import { DifferenceCard, DifferenceCell } from './differences.js'
import { LinesTable } from './lines.js'
import type { Look } from './look.js'
import { Stacked } from './stacked.js'
import { type Sum, sumOf } from './sums.js'

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
  /** Whether the rows are differences between two versions. */
  areDifferences: boolean
  onClick: (event: MouseEvent, index: number) => void
}

export function TableRow(props: Props): JSX.Element {
  const { look, row, index, top, height, selected, unfolded, cursor, canDrill, areDifferences, onClick } = props
  const { shown, template, cellClass, sticky, isCard } = look
  const cell = (at: number): CellAttributes => {
    const ranged = isInRange(cursor, index, at) ? ' ranged' : ''
    return {
      role: 'gridcell',
      'aria-colindex': at + 1,
      ...(ranged !== '' && { 'aria-selected': true as const }),
      class: `${cellClass(shown[at] as Flat, at)}${ranged}${row !== undefined && isChanged(row, shown[at] as Flat) ? ' differs' : ''}`,
      'data-column': at,
      tabIndex: cursor.row === index && cursor.column === at ? 0 : -1,
    }
  }
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      class={`row${isCard ? ' card' : ''}${selected ? ' selected' : ''}`}
      style={{
        ...{ transform: `translateY(${top}px)`, height: `${height}px` },
        ...(!isCard && { gridTemplateColumns: template }),
      }}
      onClick={(event) => onClick(event, index)}
    >
      {isCard && areDifferences ? (
        <DifferenceCard row={row} fields={shown} cell={cell} />
      ) : isCard ? (
        <CardCells row={row} fields={shown} cell={cell} />
      ) : (
        shown.map((flat, at) => (
          <div
            key={flat.name}
            {...cell(at)}
            aria-expanded={flat.column.kind === 'lines' && row !== undefined && !areDifferences ? unfolded : undefined}
            style={sticky(at)}
          >
            {row === undefined ? (
              <span class="skeleton" />
            ) : (
              <Content {...{ row, flat, unfolded }} drill={canDrill(flat)} digits={look.digits(flat)} />
            )}
          </div>
        ))
      )}
    </div>
  )
}

interface ContentProps {
  row: Row
  flat: Flat
  unfolded: boolean
  drill: boolean
  digits: number
}

function Content({ row, flat, unfolded, drill, digits }: ContentProps) {
  const value = valueIn(row, flat.path)
  const difference = differenceOf(row)
  if (difference !== undefined) {
    const cell = <DifferenceCell {...{ row, flat, digits }} />
    const explains = difference.change === 'changed' ? isChanged(row, flat) : value !== '' && value !== null
    return drill && explains ? <span class="drill">{cell}</span> : cell
  }
  if (flat.column.kind === 'lines') {
    const count = counted(String((value as unknown[]).length), 'line')
    return (
      <span class="fold" data-raw={count}>
        <Icon name={unfolded ? 'down' : 'right'} /> {areBands(value) ? <BandsBar lines={value} /> : count}
      </span>
    )
  }
  if (flat.period !== undefined && typeof value === 'string') return <PeriodCell name={value} period={flat.period} />
  const cell = (
    <Linked row={row} flat={flat} inGrid>
      <Cell value={value} column={flat.column as ValueColumn} record={row} digits={digits} {...better(flat)} />
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
          <LinesTable
            key={name}
            column={column as LinesColumn}
            lines={valueIn(props.row, path) as Row[]}
            record={props.row}
          />
        ))}
    </div>
  </div>
)

/** The label is in the first column. */
export function TotalsRow(props: { look: Look; totals: Row; label: string; rowIndex: number }): JSX.Element {
  const { look, totals, label, rowIndex } = props
  const { shown, template, full, cellClass, sticky, isCard } = look
  if (isCard) return <CardTotals {...props} />
  return (
    <div
      class="totals"
      role="row"
      aria-rowindex={rowIndex}
      style={{ gridTemplateColumns: template, width: `max(100%, ${full}px)` }}
    >
      <div class="cell label pinned" role="gridcell" style={{ position: 'sticky', left: '0' }} title={label}>
        <Stacked lines={label.split(', ')} />
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
            {sum !== undefined &&
              (sum.isNumber ? (
                <SumOf sum={sum} flat={flat} digits={look.digits(flat)} />
              ) : (
                <Stacked lines={sum.lines ?? [sum.text]} />
              ))}
          </div>
        )
      })}
    </div>
  )
}

const better = ({ change }: Flat) => (change === undefined ? {} : { better: change })

function SumOf({ sum, flat, digits }: { sum: Sum; flat: Flat; digits: number }): JSX.Element {
  return <Num text={sum.text} least={leastDigits(flat.column as ValueColumn)} digits={digits} {...better(flat)} />
}

/** Under cards: the sum of the figure that they show. */
function CardTotals({ look, totals, label, rowIndex }: Parameters<typeof TotalsRow>[0]): JSX.Element {
  const flat = look.shown[1]
  const sum = flat === undefined ? undefined : sumOf(totals, flat)
  return (
    <div class="totals card" role="row" aria-rowindex={rowIndex}>
      <div class="cell label" role="gridcell" title={label}>
        <Stacked lines={label.split(', ')} />
      </div>
      {flat !== undefined && sum !== undefined && (
        <div class="cell right" role="gridcell" data-total={flat.name} title={sum.title}>
          <span class="quiet">{headingOf(flat)}</span>{' '}
          {sum.isNumber ? <SumOf sum={sum} flat={flat} digits={0} /> : <Stacked lines={sum.lines ?? [sum.text]} />}
        </div>
      )}
    </div>
  )
}
