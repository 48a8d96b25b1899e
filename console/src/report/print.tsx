/** A report on paper: the request, then all rows as plain tables whose header repeats on every page. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { allRows, type Rows, type View } from '../ask.js'
import {
  type CatalogueReport,
  type Flat,
  isNumeric,
  type Row,
  type ValueColumn,
  type Values,
  valueIn,
} from '../catalogue.js'
import { clock, rangeInWords } from '../dates.js'
import { counted, labelOf } from '../labels.js'
import { grouped } from '../numbers.js'
import { Cell, Num } from '../parts/cell.js'
import { arrangementOf, grouping } from '../preferences.js'
import { loadedAt } from '../session.js'
import { answerOf, listOf } from './answer.js'
import { arranged, initialArrangement } from './columns.js'
import { filterInWords } from './filters.js'
import { compareInWords, groupInWords, headingOf } from './group-words.js'
import { paramInWords } from './param-words.js'
import { sumOf, sumsLabel } from './sums.js'
import { hasRange, rangeOf, shownParams } from './view.js'
import { naturalWidth, totalWidth } from './widths.js'

/** The most rows on paper: about 60 pages. */
const MOST = 2000

interface Props {
  name: string
  report: CatalogueReport
  values: Values
  view: View
  rows: Rows
  columns: readonly Flat[]
}

interface Sheet {
  readonly rows: readonly Row[]
  readonly total: number
}

/** The sheet while it is being printed, and a function that prints all rows. */
export function usePrint(props: Props): { readonly sheet: JSX.Element | null; print(): Promise<void> } {
  const { report, values, view, rows } = props
  const sheet = useSignal<Sheet | undefined>(undefined)
  const loaded = (): Sheet => {
    const total = rows.total.peek() ?? 0
    const found: Row[] = []
    for (let at = 0; at < Math.min(total, MOST); at++) {
      const row = rows.row(at)
      if (row === undefined) break
      found.push(row)
    }
    return { rows: found, total }
  }
  const print = async () => {
    const here = loaded()
    const whole = here.rows.length >= Math.min(here.total, MOST)
    try {
      sheet.value = whole ? here : await allRows(report, values, view, { most: MOST })
    } catch {
      sheet.value = here // the sheet shows how many rows are missing
    }
    requestAnimationFrame(() => window.print())
  }
  useEffect(() => {
    // Printing from the browser's menu cannot wait for rows: it prints the rows in memory.
    const before = () => {
      sheet.value ??= loaded()
    }
    const after = () => {
      sheet.value = undefined
    }
    const keys = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      void print()
    }
    addEventListener('beforeprint', before)
    addEventListener('afterprint', after)
    addEventListener('keydown', keys)
    return () => {
      removeEventListener('beforeprint', before)
      removeEventListener('afterprint', after)
      removeEventListener('keydown', keys)
    }
  }, [rows])
  return { print, sheet: sheet.value === undefined ? null : <SheetOf {...props} {...sheet.value} all={props.rows} /> }
}

function SheetOf({
  name,
  report,
  values,
  view,
  rows,
  total,
  all,
  columns,
}: Omit<Props, 'rows'> & Sheet & { all: Rows }) {
  const arrangement = arrangementOf(name).value ?? initialArrangement(columns)
  const shown = arranged(columns, arrangement).filter(({ column }) => column.kind !== 'lines')
  const totals = all.totals.value?.version === all.version.value ? all.totals.value?.row : undefined
  const bands = bandsOf(shown, rows, totals)
  const loaded = loadedAt.get(all.version.value ?? 0)
  const number = (value: number) => grouped(String(value), grouping.value)
  return (
    <div class="sheet">
      <h1>{report.title}</h1>
      <p>{askedInWords(report, values, view, columns).join(' · ')}</p>
      <p class="quiet">
        {counted(number(total), 'row')} · version {all.version.value}
        {loaded !== undefined && `, loaded ${clock(loaded)}`}
        {rows.length < total && ` · only the first ${number(rows.length)} are printed; Export has all`}
      </p>
      {bands.map((band, at) => (
        <table key={band[0]?.name}>
          {bands.length > 1 && (
            <caption>
              Columns, part {at + 1} of {bands.length}
            </caption>
          )}
          <thead>
            <tr>
              <th class="right">#</th>
              {band.map(({ name, column, label }) => (
                <th key={name} class={isNumeric(column) ? 'right' : undefined}>
                  {headingOf({ name, label })}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <td class="right quiet">{index + 1}</td>
                {band.map(({ name, path, column }) => (
                  <td key={name} class={isNumeric(column) ? 'right' : undefined}>
                    <Cell value={valueIn(row, path)} column={column as ValueColumn} />
                  </td>
                ))}
              </tr>
            ))}
            {totals !== undefined && (
              <tr class="sum">
                <td />
                {band.map((flat, column) => {
                  const sum = sumOf(totals, flat)
                  if (column === 0) return <th key={flat.name}>{sumsLabel(totals, total)}</th>
                  return (
                    <td key={flat.name} class="right">
                      {sum !== undefined && (sum.isNumber ? <Num text={sum.text} /> : (sum.title ?? sum.text))}
                    </td>
                  )
                })}
              </tr>
            )}
          </tbody>
        </table>
      ))}
    </div>
  )
}

/** Period, parameters, filters, search and order. */
export function askedInWords(
  report: CatalogueReport,
  values: Values,
  { filter = [], search, sort, group, having = [], compare }: View,
  columns: readonly Flat[],
): string[] {
  const { keys } = answerOf(report, values, { group })
  const ranged = hasRange(report)
  const range = ranged ? rangeOf(values) : undefined
  const params = shownParams(report)
    .filter(({ name }) => values[name] !== undefined && !(ranged && (name === 'from_date' || name === 'to_date')))
    .map((param) => `${labelOf(param.name)}: ${paramInWords(param, values[param.name])}`)
  const orders = (sort ?? '').split(',').filter(Boolean)
  const order = orders.map((one) => labelOf(one.replace(/^-/, '')) + (one.startsWith('-') ? ', descending' : ''))
  return [
    ...(ranged ? [range === undefined ? 'Any date' : rangeInWords(range)] : []),
    ...params,
    ...filter.map((text) => filterInWords(text, columns)),
    ...(search === undefined ? [] : [`Search: ${search}`]),
    ...(group === undefined
      ? []
      : [
          `Grouped by ${listOf(group)
            .map((one) => groupInWords(one, keys))
            .join(', ')}`,
        ]),
    ...having.map((text) => filterInWords(text, columns)),
    ...(compare === undefined ? [] : [compareInWords(values, compare)]),
    ...(order.length === 0 ? [] : [`Sorted by ${order.join(', ')}`]),
  ]
}

/** Width of a landscape page, A4 or Letter, in pixels of the table on the screen. */
const PAPER = 1280
const WIDEST = 190

/** Splits a table that is too wide into several, each beginning with the same first column. */
function bandsOf(shown: readonly Flat[], rows: readonly Row[], totals: Row | undefined): Flat[][] {
  const [first, ...rest] = shown
  if (first === undefined) return []
  const sample = rows.slice(0, 100)
  const widthOf = (flat: Flat) => Math.max(Math.min(WIDEST, naturalWidth(flat, sample) - 20), totalWidth(flat, totals))
  const room = PAPER - 40 - widthOf(first)
  const bands: Flat[][] = []
  let [band, left]: [Flat[], number] = [[], room]
  for (const flat of rest) {
    const width = widthOf(flat)
    if (width > left && band.length > 0) {
      bands.push(band)
      ;[band, left] = [[], room]
    }
    band.push(flat)
    left -= width
  }
  return [...bands, band].map((columns) => [first, ...columns])
}
