/** The side panel of a record: every field with its meaning, its lines, and the rows behind each figure. */
import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { objectWords } from '../../../src/object-words.js'
import { asFailure, type Failure } from '../api.js'
import { allRows, type Rows, type View } from '../ask.js'
import {
  type CatalogueReport,
  type Flat,
  flatten,
  isNumeric,
  type LinesColumn,
  type Row,
  reportOf,
  shapeOf,
  type ValueColumn,
  type Values,
  valueIn,
} from '../catalogue.js'
import { differenceOf, isChanged, keyFilter } from '../differences.js'
import { counted, labelOf } from '../labels.js'
import { compare, grouped, sum } from '../numbers.js'
import { Cell, Described, Figure, Num } from '../parts/cell.js'
import { copyText } from '../parts/copy.js'
import { Icon } from '../parts/icons.js'
import { lazy } from '../parts/lazy.js'
import { Failed } from '../parts/states.js'
import { isolated, leastDigits, nameOf, plainText, shownText } from '../people.js'
import { grouping } from '../preferences.js'
import { Linked } from '../things/link.js'
import { linksIn } from '../things/names.js'
import { ChangedFields, ChangeWord, DifferenceValue } from './differences.js'
import { pastOf } from './known-words.js'
import { LinesTable } from './lines.js'
import { behindOf, reportUrl } from './view.js'
import { digitsIn } from './widths.js'

const WhyFigure = lazy(async () => (await import('./why.js')).WhyFigure)
const WhyRecord = lazy(async () => (await import('./why.js')).WhyRecord)

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  columns: readonly Flat[]
  rows: Rows
  row: Row
  /** Position in the table; undefined if it is not known. */
  index: number | undefined
  /** The field whose rows are shown first. */
  field: Signal<string | undefined>
  onOpen: (index: number) => void
  onClose: () => void
}

/** The names of the fields that make the key of a record. */
export const keyFieldsOf = (report: CatalogueReport, values: Values): string[] =>
  (shapeOf(report, values)?.key ?? []).flatMap(({ path }) => (path === undefined ? [] : [path.join('.')]))

export function Panel({ report, values, view, columns, rows, row, index, field, onOpen, onClose }: Props): JSX.Element {
  const total = rows.total.value ?? 0
  const onMove = (by: number) => {
    const to = (index ?? 0) + by
    if (to >= 0 && to < total) onOpen(to)
  }
  const showField = (name: string | undefined) => {
    field.value = name
  }
  const close = () => {
    showField(undefined)
    onClose()
    document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus()
  }
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus()
  }, [])
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      const target = event.target as Element
      if (event.defaultPrevented || target.closest('dialog,input,select,.menu')) return
      if (event.key === 'Escape') {
        if (opened === undefined) close()
        else showField(undefined)
      } else if (
        (event.key === 'ArrowDown' || event.key === 'ArrowUp') &&
        index !== undefined &&
        !target.closest('.grid,.lines')
      ) {
        event.preventDefault()
        onMove(event.key === 'ArrowDown' ? 1 : -1)
      }
    }
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  })
  const opened = columns.find(({ name }) => name === field.value)
  const title = titleOf(row, columns, keyFieldsOf(report, values))
  return (
    <aside class="panel" aria-label={`Record: ${title}`}>
      <header>
        <h2 ref={heading} tabIndex={-1} title={title}>
          {title}
        </h2>
        {index !== undefined && (
          <>
            <span class="quiet">
              {grouped(String(index + 1), grouping.value)} of {grouped(String(total), grouping.value)}
            </span>
            <button
              type="button"
              class="mini"
              aria-label="Previous record"
              disabled={index === 0}
              onClick={() => onMove(-1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="mini"
              aria-label="Next record"
              disabled={index + 1 >= total}
              onClick={() => onMove(1)}
            >
              <Icon name="down" />
            </button>
          </>
        )}
        <button
          type="button"
          class="mini"
          aria-label="Copy as JSON"
          title="Copy as JSON"
          onClick={() => void copyText(asJson(row, columns), 'Copied as JSON')}
        >
          <Icon name="copy" />
        </button>
        <button type="button" class="mini" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {opened === undefined ? (
        <Fields {...{ report, values, view, columns, row }} onField={showField} />
      ) : (
        <Behind {...{ values, view, row }} flat={opened} onBack={() => showField(undefined)} />
      )}
    </aside>
  )
}

/** As the API sends it: JSON numbers stay numbers. */
function asJson(row: Row, columns: readonly Flat[]): string {
  const numbers = new Set(columns.flatMap(({ column }) => (column.kind === 'number' ? [column.name] : [])))
  const raw = (JSON as { rawJSON?: (text: string) => unknown }).rawJSON ?? Number
  return JSON.stringify(row, (name, value) => (numbers.has(name) && typeof value === 'string' ? raw(value) : value), 2)
}

/** The name of the record, and its key: texts, or dates if it has no texts. */
function titleOf(row: Row, columns: readonly Flat[], key: readonly string[]): string {
  const parts = columns.filter(({ name }) => key.includes(name))
  const texts = parts.filter(({ column }) => column.kind === 'text')
  const name = columns.slice(0, 1).filter(({ column }) => column.kind === 'text')
  const shown = [...name, ...(texts.length > 0 ? texts : parts)].map((flat) => wordsOf(row, flat))
  const different = [...new Set(shown.filter(Boolean))]
  return different.slice(0, 3).map(isolated).join(' · ') || 'Record'
}

function wordsOf(row: Row, { path, column }: Flat): string {
  const value = valueIn(row, path) ?? ''
  if (column.kind === 'object') return objectWords(value as Record<string, unknown>)
  return column.kind === 'lines' ? '' : shownText(String(value), column)
}

const behindIn = ({ column }: Flat) => (column.kind === 'lines' ? undefined : (column as ValueColumn).behind)

function Fields({
  report,
  values,
  view,
  columns,
  row,
  onField,
}: Pick<Props, 'report' | 'values' | 'view' | 'columns' | 'row'> & { onField: (name: string) => void }): JSX.Element {
  const difference = differenceOf(row)
  const filter = keyFilter(shapeOf(report, values)?.key ?? [], [row])
  const single = columns.filter(({ column, path }) => column.kind !== 'lines' && valueIn(row, path) !== undefined)
  // Of a difference, values that did not change may be unknown.
  const lists = columns.filter(({ column, path }) => column.kind === 'lines' && valueIn(row, path) !== undefined)
  return (
    <div class="body">
      {difference !== undefined && (
        <>
          <p>
            <ChangeWord change={difference.change} />
          </p>
          <ChangedFields {...{ row, columns }} />
          <WhyRecord
            {...{ report, values }}
            view={{ ...pastOf(view), filter }}
            keyed={JSON.stringify(difference.key)}
          />
        </>
      )}
      {lists.map(({ name, path, column }) => (
        <section key={name}>
          <h3>{labelOf(name)}</h3>
          <LinesTable
            column={column as LinesColumn}
            lines={(valueIn(row, path) as Row[] | undefined) ?? []}
            record={row}
          />
          {isChanged(row, { name }) && (
            <>
              <h3>{labelOf(name)}, before</h3>
              <LinesTable
                column={column as LinesColumn}
                lines={(valueIn(differenceOf(row)?.before ?? {}, path) as Row[] | undefined) ?? []}
                record={row}
              />
            </>
          )}
        </section>
      ))}
      <dl>
        {single.map((flat) => {
          const behind = behindIn(flat)
          const value = valueIn(row, flat.path)
          const usable =
            behind !== undefined &&
            reportOf(behind.report) !== undefined &&
            behindOf(flat, row, values, view) !== undefined
          return (
            <div key={flat.name} class="field">
              <dt>
                {nameOf(flat)}
                <small>
                  <Described text={flat.column.description} />
                </small>
              </dt>
              <dd class={isNumeric(flat.column) ? 'right' : undefined}>
                {linksIn(row, flat).length > 0 ? (
                  <Linked row={row} flat={flat}>
                    {undefined}
                  </Linked>
                ) : usable && value !== '' && value !== null ? (
                  <button type="button" class="link" title="Show the rows behind it" onClick={() => onField(flat.name)}>
                    <Figure value={value} column={flat.column as ValueColumn} record={row} />
                  </button>
                ) : (
                  <Figure value={value} column={flat.column as ValueColumn} record={row} />
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </div>
  )
}

const MOST = 2000

/** The records behind a figure, and their sum beside it. */
function Behind(props: BehindProps): JSX.Element {
  const { values, view, flat, row, onBack } = props
  const behind = behindIn(flat)
  const source = behind && reportOf(behind.report)
  const asked = behindOf(flat, row, values, view)
  const heading = (
    <>
      <button type="button" class="link back" onClick={onBack}>
        <Icon name="left" /> All fields
      </button>
      <h3>
        {nameOf(flat)}:{' '}
        {isChanged(row, flat) ? (
          <DifferenceValue {...{ row, flat }} inFull />
        ) : (
          <Figure value={valueIn(row, flat.path)} column={flat.column as ValueColumn} record={row} />
        )}
      </h3>
    </>
  )
  if (view.against === undefined) return <BehindNow {...props} {...{ source, asked, heading }} />
  return (
    <div class="body">
      {heading}
      {source !== undefined && asked !== undefined && (
        <WhyFigure report={source} values={asked} view={pastOf(view)} {...{ flat, row }} measure={behind?.sum} />
      )}
    </div>
  )
}

interface BehindProps {
  values: Values
  view: View
  flat: Flat
  row: Row
  onBack: () => void
}

function BehindNow({
  view,
  flat,
  row,
  source,
  asked,
  heading,
}: BehindProps & {
  source: CatalogueReport | undefined
  asked: Values | undefined
  heading: JSX.Element
}): JSX.Element {
  const behind = behindIn(flat)
  const { as_known } = view
  const key = JSON.stringify([behind?.report, asked, as_known])
  const found = useSignal<{ rows: Row[]; total: number } | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const attempt = useSignal(0)
  useEffect(() => {
    found.value = undefined
    failure.value = undefined
    if (source === undefined || asked === undefined) return
    const controller = new AbortController()
    allRows(source, asked, { as_known }, { most: MOST, signal: controller.signal }).then(
      (rows) => {
        found.value = rows
      },
      (error) => {
        if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
      },
    )
    return () => controller.abort()
  }, [key, attempt.value])
  const columns = source && asked ? flatten(shapeOf(source, asked)?.columns ?? []) : []
  const rows = found.value?.rows
  // A column with the same value in every row is shown once, above the table.
  const varying = columns.filter(
    ({ path, column }) =>
      column.kind !== 'lines' &&
      (isNumeric(column) ||
        rows === undefined ||
        rows.length < 2 ||
        new Set(rows.map((one) => JSON.stringify(valueIn(one, path)))).size > 1),
  )
  const digits = new Map(varying.map((flat) => [flat.name, digitsIn(flat, rows ?? [])]))
  const measure = behind?.sum
  // The date and the figure come first: the panel is narrow.
  const place = ({ name, column }: Flat) => (column.kind === 'date' ? 0 : name === measure ? 1 : 2)
  varying.sort((a, b) => place(a) - place(b))
  const whole = found.value !== undefined && found.value.total === rows?.length
  const added =
    measure !== undefined && whole
      ? sum((rows ?? []).map((one) => String(valueIn(one, measure.split('.')) ?? '0')))
      : undefined
  return (
    <div class="body">
      {heading}
      {failure.value !== undefined && (
        <Failed
          failure={failure.value}
          again={() => {
            attempt.value++
          }}
        />
      )}
      {found.value === undefined && failure.value === undefined && <p class="quiet">Fetching the rows behind it…</p>}
      {rows !== undefined && (
        <>
          <p class="quiet" role="status">
            {counted(grouped(String(found.value?.total), grouping.value), 'row')}
            {added !== undefined && (
              <>
                , which sum to <Num text={added} least={leastDigits(flat.column as ValueColumn)} />{' '}
                {compare(added, String(valueIn(row, flat.path))) === 0 ? (
                  <span class="word good">equal</span>
                ) : (
                  <span class="word bad">not equal: the data changed meanwhile</span>
                )}
              </>
            )}
            {!whole && `; the first ${MOST} are shown`}
          </p>
          <div
            class="lines"
            role="region"
            aria-label={`Rows behind ${labelOf(flat.name)}`}
            tabIndex={0}
            hidden={rows.length === 0}
          >
            <table>
              <thead>
                <tr>
                  {varying.map(({ name, column }) => (
                    <th
                      key={name}
                      scope="col"
                      class={isNumeric(column) ? 'right' : undefined}
                      title={plainText(column.description)}
                    >
                      {labelOf(name)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((one, at) => (
                  <tr key={at}>
                    {varying.map(({ name, path, column }) => (
                      <td key={name} class={isNumeric(column) ? 'right' : undefined}>
                        <Cell
                          value={valueIn(one, path)}
                          column={column as ValueColumn}
                          record={one}
                          digits={digits.get(name)}
                        />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {source !== undefined && asked !== undefined && (
            <p>
              <a href={reportUrl(source.id, asked, { as_known })}>Open as a report</a>
            </p>
          )}
        </>
      )}
    </div>
  )
}
