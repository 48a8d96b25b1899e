/** A table of differences: which columns it has, its cells with the values before and after, and the sums under it. */
import type { JSX } from 'preact'
import type { View } from '../ask.js'
import { type Flat, isAbsent, isNumeric, type KeyPart, type Row, type ValueColumn, valueIn } from '../catalogue.js'
import { account } from '../company.js'
import { CHANGE, type Change, changeOf, differenceOf, isChanged } from '../differences.js'
import { counted } from '../labels.js'
import { Cell, Figure, Num } from '../parts/cell.js'
import { Nothing } from '../parts/states.js'
import { currencySign, headingOf, isAccountMoney, leastDigits, nameOf, plainText } from '../people.js'
import { Linked } from '../things/link.js'
import type { CellAttributes } from './cards.js'
import { type Columns, fixedColumns } from './columns.js'
import { changesInWords } from './known-words.js'
import type { Look } from './look.js'
import { Stacked } from './stacked.js'
import { COMPARED_SUMS, comparedLabel, comparedSum } from './sums.js'

/** A row has two lines: the value now, and the value before. */
export const DIFFERENCE_HEIGHT = 44
/** A card has two lines below its name. */
export const DIFFERENCE_CARD_HEIGHT = 78

const CHANGE_WIDTH = 108
const CHANGE_COLUMN: Flat = {
  ...{ name: CHANGE, path: [CHANGE], isFirst: true, label: 'Change' },
  column: {
    ...{ name: CHANGE, kind: 'word', words: ['new', 'gone', 'changed'], contact: false, additive: false },
    description: 'Whether the row is new, gone or changed since then.',
  },
}

/** The name of the record, its key, and the fields that changed with their units. */
export function differenceColumns(
  columns: readonly Flat[],
  key: readonly KeyPart[],
  changed: ReadonlySet<string> | undefined,
): Columns {
  const keys = new Set(key.map(({ path }) => path?.join('.')))
  const fields = columns.filter(({ name }) => changed?.has(name))
  const units = new Set(fields.map(({ column }) => ('unit' in column ? column.unit : undefined)))
  const shown = columns.filter((flat, at) => {
    const named = (at === 0 && !isNumeric(flat.column)) || keys.has(flat.name) || changed?.has(flat.name)
    return named || units.has(flat.path.join('_'))
  })
  // Without changed records, the fields that people see first say what is new or gone.
  const usual = fields.length > 0 ? shown : columns.filter((flat) => flat.isFirst || keys.has(flat.name))
  return fixedColumns([CHANGE_COLUMN, ...usual], [CHANGE, usual[0]?.name ?? CHANGE], { [CHANGE]: CHANGE_WIDTH })
}

/** With the name before the change. */
export const nameFirst = ([change, name, ...others]: readonly Flat[]): readonly Flat[] =>
  [name, change, ...others].filter((flat) => flat !== undefined)

const SIGNS: Readonly<Record<Change, string>> = { new: '+', gone: '−', changed: '±' }
const TONES: Readonly<Record<Change, string>> = { new: 'good', gone: 'bad', changed: 'warn' }

export const ChangeWord = ({ change }: { change: Change }): JSX.Element => (
  <span class={`word ${TONES[change]}`} data-raw={change}>
    {SIGNS[change]} {change}
  </span>
)

interface ValueProps {
  row: Row
  flat: Flat
  digits?: number
  /** With units and currencies: for places without a heading. */
  inFull?: boolean
}

/** The value of a difference, and the value before. */
export function DifferenceValue({ row, flat, digits, inFull = false }: ValueProps): JSX.Element {
  const found = differenceOf(row)
  const value = valueIn(row, flat.path)
  const shown = (of: unknown, record: Row) => {
    if (flat.column.kind === 'lines')
      return <span>{counted(String((of as unknown[] | null)?.length ?? 0), 'line')}</span>
    const Part = inFull ? Figure : Cell
    return (
      <Part value={of} column={flat.column as ValueColumn} record={record} {...(digits !== undefined && { digits })} />
    )
  }
  if (found === undefined) return shown(value, row)
  if (flat.name === CHANGE) return <ChangeWord change={found.change} />
  if (!isChanged(row, flat)) {
    if (value === undefined) return <span class="unseen">unchanged</span>
    return found.change === 'gone' ? <del>{shown(value, row)}</del> : shown(value, row)
  }
  if (flat.column.kind === 'lines') {
    const [was, is] = [found.before, row].map((record) => valueIn(record, flat.path) as unknown[] | null)
    if (was?.length === is?.length) {
      const before = new Set(was?.map((line) => JSON.stringify(line)))
      const differing = is?.filter((line) => !before.has(JSON.stringify(line))).length ?? 0
      return (
        <ins>
          {differing} of {counted(String(is?.length ?? 0), 'line')}
        </ins>
      )
    }
  }
  return (
    <span class="both">
      <del>{shown(valueIn(found.before, flat.path), found.before)}</del>
      <span class="unseen"> before, now </span>
      <ins>{shown(value, row)}</ins>
    </span>
  )
}

/** A cell of the table. */
export const DifferenceCell = ({ row, flat, digits }: Required<Omit<ValueProps, 'inFull'>>): JSX.Element =>
  isChanged(row, flat) || flat.column.kind === 'lines' ? (
    <DifferenceValue {...{ row, flat, digits }} />
  ) : (
    <Linked row={row} flat={flat} inGrid>
      <DifferenceValue {...{ row, flat, digits }} />
    </Linked>
  )

/** On a phone: the name and the change; below them what else names the record, and the fields that changed. */
export function DifferenceCard({
  row,
  fields,
  cell,
}: {
  row: Row | undefined
  fields: readonly Flat[]
  cell: (at: number) => CellAttributes
}): JSX.Element {
  const [change, name, ...others] = fields
  if (row === undefined || change === undefined || name === undefined)
    return (
      <div {...cell(0)}>
        <span class="skeleton" />
      </div>
    )
  const units = others.flatMap(({ column }) => ('unit' in column && column.unit !== undefined ? [column.unit] : []))
  const isShown = (flat: Flat) => {
    if (isChanged(row, flat)) return true
    const value = valueIn(row, flat.path)
    if (isNumeric(flat.column) && differenceOf(row)?.change === 'changed') return false
    if (flat.column.kind === 'lines' || units.includes(flat.name)) return false
    return value !== '' && !isAbsent(value, flat.column as ValueColumn)
  }
  return (
    <>
      <div {...cell(1)}>
        <Cell value={valueIn(row, name.path)} column={name.column as ValueColumn} record={row} />
      </div>
      <div {...cell(0)}>
        <DifferenceValue row={row} flat={change} />
      </div>
      <div class="details" role="none">
        {[...others.entries()]
          .sort(([, a], [, b]) => Number(isChanged(row, a)) - Number(isChanged(row, b)))
          .map(([at, flat]) => (
            <div key={flat.name} {...cell(at + 2)} hidden={!isShown(flat)}>
              {(isNumeric(flat.column) || isChanged(row, flat)) && <span class="quiet">{headingOf(flat)}</span>}
              <DifferenceValue row={row} flat={flat} inFull={isNumeric(flat.column)} />
            </div>
          ))}
        {isChanged(row, name) && (
          <span>
            before{' '}
            <del>
              <Cell
                value={valueIn(differenceOf(row)?.before ?? {}, name.path)}
                column={name.column as ValueColumn}
                record={row}
              />
            </del>
          </span>
        )}
      </div>
    </>
  )
}

/** The header: these columns have one order and nothing to sort by. */
export const DifferenceHead = ({ look }: { look: Look }): JSX.Element => (
  <div
    class="head"
    role="row"
    aria-rowindex={1}
    style={{ gridTemplateColumns: look.template, width: `max(100%, ${look.full}px)` }}
  >
    {look.shown.map((flat, at) => (
      <div
        key={flat.name}
        role="columnheader"
        aria-colindex={at + 1}
        class={look.cellClass(flat, at)}
        style={look.sticky(at)}
        data-field={flat.name}
        data-column={at}
      >
        <span class="label" title={`${nameOf(flat)}: ${plainText(flat.column.description)}`}>
          <span>{headingOf(flat)}</span>
          {isAccountMoney(flat) && <span class="sign"> {currencySign(account.value?.currency)}</span>}
        </span>
      </div>
    ))}
  </div>
)

/** The sums of the whole report, of which the table shows the rows that differ. */
export function DifferenceTotals({
  look,
  totals,
  rowIndex,
}: {
  look: Look
  totals: Row
  rowIndex: number
}): JSX.Element | null {
  const { shown, template, full, cellClass, sticky, isCard } = look
  const summed = shown.filter((flat) => comparedSum(totals, flat, '__difference') !== undefined)
  if (summed.length === 0) return null
  return (
    <div class="sums" role="rowgroup" style={isCard ? {} : { width: `max(100%, ${full}px)` }}>
      {COMPARED_SUMS.map((one, line) => {
        const [part] = one
        const label = comparedLabel(totals, one)
        return (
          <div
            key={part}
            class={isCard ? 'totals card' : 'totals'}
            role="row"
            aria-rowindex={rowIndex + line}
            style={isCard ? {} : { gridTemplateColumns: template }}
          >
            <div
              class="cell label pinned"
              role="gridcell"
              style={isCard ? {} : { position: 'sticky', left: '0' }}
              title={`${label}, of all rows of the report`}
            >
              <Stacked lines={label.split(', ')} />
            </div>
            {(isCard ? summed.slice(0, 1) : shown.slice(1)).map((flat, at) => {
              const sum = comparedSum(totals, flat, part)
              return (
                <div
                  key={flat.name}
                  role="gridcell"
                  class={isCard ? 'cell right' : cellClass(flat, at + 1)}
                  style={isCard ? {} : sticky(at + 1)}
                  data-total={`${flat.name}${part}`}
                  title={sum?.title}
                >
                  {isCard && <span class="quiet">{headingOf(flat)}</span>}
                  {sum !== undefined &&
                    (sum.isNumber ? (
                      <Num
                        text={sum.text}
                        least={leastDigits(flat.column as ValueColumn)}
                        digits={look.digits(flat)}
                        {...(part === '__difference' && { better: 'neutral' })}
                      />
                    ) : (
                      <Stacked lines={sum.lines ?? [sum.text]} />
                    ))}
                </div>
              )
            })}
          </div>
        )
      })}
    </div>
  )
}

/** Of a record: each field that changed, before, after and the difference of numbers. */
export function ChangedFields({ row, columns }: { row: Row; columns: readonly Flat[] }): JSX.Element | null {
  const found = differenceOf(row)
  const fields = columns.filter((flat) => isChanged(row, flat))
  if (found === undefined || found.change !== 'changed') return null
  const hasNumbers = fields.some(({ column }) => isNumeric(column))
  const side = (flat: Flat, record: Row) => {
    const value = valueIn(record, flat.path)
    if (flat.column.kind === 'lines') return counted(String((value as unknown[] | null)?.length ?? 0), 'line')
    return <Cell value={value} column={flat.column} record={record} />
  }
  return (
    <div class="lines" role="region" aria-label="What changed" tabIndex={0}>
      <table class="changed-fields">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col" class={hasNumbers ? 'right' : undefined}>
              Before
            </th>
            <th scope="col" class={hasNumbers ? 'right' : undefined}>
              After
            </th>
            {hasNumbers && (
              <th scope="col" class="right">
                Difference
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {fields.map((flat) => {
            const difference = isNumeric(flat.column) ? changeOf(row, flat) : undefined
            const kind = hasNumbers ? 'right' : undefined
            return (
              <tr key={flat.name}>
                <th scope="row">{nameOf(flat)}</th>
                <td class={kind}>{side(flat, found.before)}</td>
                <td class={kind}>
                  <strong>{side(flat, row)}</strong>
                </td>
                {hasNumbers && (
                  <td class="right">
                    {difference !== undefined && (
                      <Num text={difference} least={leastDigits(flat.column as ValueColumn, row)} better="neutral" />
                    )}
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

/** Both states of the report are the same. */
export const NothingChanged = ({ view, onShow }: { view: View; onShow: () => void }): JSX.Element => (
  <Nothing>
    <p>
      Nothing changed between{' '}
      {changesInWords(view)
        .replace(/^What changed since /, '')
        .replace(/, up to /, ' and ')}
      .{(view.filter?.length || view.search) && ' That is, among the rows that match the filters.'}
    </p>
    <button type="button" class="button" onClick={onShow}>
      Show all rows
    </button>
  </Nothing>
)
