/** Rows on a phone: two lines each, with the fields that matter, and the order of the rows above them. */
import type { JSX } from 'preact'
import { type Flat, isAbsent, isNumeric, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { counted } from '../labels.js'
import { Cell, Figure } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { headingOf } from '../people.js'
import { BEFORE, CHANGE } from './answer.js'
import { namedInWords } from './periods.js'

/** A table that is narrower shows cards. */
export const CARDS_BELOW = 560
export const CARD_HEIGHT = 58

/** The fields after the name and the figure of a card. */
const DETAILS = 5

const sorted = (sort: string | undefined): string | undefined => sort?.split(',')[0]?.replace(/^-/, '')

/** The fields of a card: the name of the row, the figure by which the rows are sorted or the first one, and a few more. */
export function cardFields(
  shown: readonly Flat[],
  columns: readonly Flat[],
  sort: string | undefined,
): readonly Flat[] {
  const [title, ...rest] = shown
  if (title === undefined) return []
  const by = sorted(sort)
  const first = columns.find(({ name }) => name === by && name !== title.name)
  const others = rest.filter(({ name }) => name !== first?.name)
  const figure = [...(first === undefined ? [] : [first]), ...others].find(({ column }) => isNumeric(column))
  // A quantity has its unit beside it.
  const units = columns.flatMap(({ column }) => ('unit' in column && column.unit !== undefined ? [column.unit] : []))
  const details = [...(first === undefined ? [] : [first]), ...others].filter(
    ({ name, column }) => name !== figure?.name && !units.includes(name) && column.kind !== 'lines',
  )
  // The change of the figure, and its value before, come first.
  const own = [BEFORE, CHANGE].map((suffix) => `${figure?.name}${suffix}`)
  details.sort((a, b) => own.indexOf(b.name) - own.indexOf(a.name))
  return [title, ...(figure === undefined ? [] : [figure]), ...details.slice(0, DETAILS)]
}

/** The attributes of a cell of the grid. */
export interface CellAttributes {
  readonly role: 'gridcell'
  readonly 'aria-colindex': number
  readonly 'aria-selected'?: true
  readonly class: string
  readonly 'data-column': number
  readonly tabIndex: number
}

interface CardProps {
  row: Row | undefined
  fields: readonly Flat[]
  cell: (at: number) => CellAttributes
}

/** The cells of a card; `cell` has the attributes of each. */
export function CardCells({ row, fields, cell }: CardProps): JSX.Element {
  const hasFigure = fields[1] !== undefined && isNumeric(fields[1].column)
  const details = fields.map((flat, at) => [flat, at] as const).slice(hasFigure ? 2 : 1)
  const content = (flat: Flat) => {
    if (row === undefined) return <span class="skeleton" />
    const value = valueIn(row, flat.path)
    if (flat.column.kind === 'lines') return <span>{counted(String((value as unknown[]).length), 'line')}</span>
    if (flat.period !== undefined && typeof value === 'string') return <PeriodCell name={value} period={flat.period} />
    return isNumeric(flat.column) ? (
      <Figure value={value} column={flat.column} record={row} {...(flat.change && { better: flat.change })} />
    ) : (
      <Cell value={value} column={flat.column} record={row} />
    )
  }
  const isEmpty = ({ column, path }: Flat) => {
    const value = row === undefined ? '' : valueIn(row, path)
    return value === '' || isAbsent(value, column as ValueColumn)
  }
  return (
    <>
      <div {...cell(0)}>{fields[0] !== undefined && content(fields[0])}</div>
      {hasFigure && <div {...cell(1)}>{content(fields[1] as Flat)}</div>}
      <div class="details" role="none">
        {details.map(([flat, at]) => (
          <div key={flat.name} {...cell(at)} hidden={row !== undefined && isEmpty(flat)}>
            {isNumeric(flat.column) && <span class="quiet">{headingOf(flat)}</span>}
            {content(flat)}
          </div>
        ))}
      </div>
    </>
  )
}

/** `Apr 2026` for `2026-04`, which is copied. */
export const PeriodCell = ({ name, period }: { name: string; period: NonNullable<Flat['period']> }): JSX.Element => (
  <span data-raw={name}>{namedInWords(period, name)}</span>
)

interface SortProps {
  columns: readonly Flat[]
  sort: string | undefined
  onSort: (sort: string | undefined) => void
}

/** Above the cards in place of the header: by which field the rows are sorted. */
export function CardSort({ columns, sort, onSort }: SortProps): JSX.Element {
  const by = columns.find(({ name }) => name === sorted(sort))
  const down = sort?.startsWith('-') === true
  return (
    <div class="head cards" role="row" aria-rowindex={1}>
      <div role="columnheader" aria-colindex={1} class="cell" data-column={0}>
        <Menu
          class="chip plain"
          label={
            <>
              <span class="quiet">Sorted by</span>
              <strong>{by === undefined ? 'the usual order' : headingOf(by)}</strong>
              <Icon name={by === undefined || down ? 'down' : 'up'} />
            </>
          }
          title="Order of the rows"
        >
          {(close) => {
            const choose = (next: string | undefined) => {
              close()
              onSort(next)
            }
            return (
              <div class="items">
                <button
                  type="button"
                  class={by === undefined ? 'item chosen' : 'item'}
                  onClick={() => choose(undefined)}
                >
                  The usual order
                </button>
                {columns
                  .filter(({ column }) => column.kind !== 'lines')
                  .map((flat) => {
                    const isChosen = flat.name === by?.name
                    // The largest figure and the first name come first; choosing again turns the order around.
                    const isDown = isChosen ? !down : isNumeric(flat.column)
                    return (
                      <button
                        key={flat.name}
                        type="button"
                        class={isChosen ? 'item chosen' : 'item'}
                        onClick={() => choose(isDown ? `-${flat.name}` : flat.name)}
                      >
                        <span>{headingOf(flat)}</span>
                        {isChosen && <Icon name={down ? 'down' : 'up'} />}
                      </button>
                    )
                  })}
              </div>
            )
          }}
        </Menu>
      </div>
    </div>
  )
}
