/** A report on paper: the request, then all rows as plain tables whose header repeats on every page, or each record as a document. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { allRows, type Rows, type View, withUnchanged } from '../ask.js'
import {
  type CatalogueReport,
  type Flat,
  flatten,
  isNumeric,
  type Row,
  shapeOf,
  type ValueColumn,
  type Values,
  valueIn,
} from '../catalogue.js'
import { account, companyName } from '../company.js'
import { clock, rangeInWords } from '../dates.js'
import { differenceOf } from '../differences.js'
import { counted, labelOf } from '../labels.js'
import { grouped } from '../numbers.js'
import { Cell, Num } from '../parts/cell.js'
import { currencySign, headingOf, isAccountMoney, leastDigits } from '../people.js'
import { grouping } from '../preferences.js'
import { loadedAt } from '../session.js'
import { answerOf, listOf } from './answer.js'
import { DifferenceValue } from './differences.js'
import { DocumentSheet, hasDocuments, isWide } from './document.js'
import { filterInWords } from './filters.js'
import { compareInWords, groupInWords } from './group-words.js'
import { changesInWords, knownInWords } from './known-words.js'
import { isBlank } from './lines.js'
import { paramInWords } from './param-words.js'
import { COMPARED_SUMS, comparedLabel, comparedSum, sumOf, sumsLabel } from './sums.js'
import { hasRange, rangeOf, shownParams } from './view.js'
import { digitsIn, firstNeed, totalWidth, widen } from './widths.js'

/** The most rows on paper: about 60 pages. */
const MOST = 2000
/** The most documents on paper. */
const MOST_DOCUMENTS = 200

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  rows: Rows
  columns: readonly Flat[]
  /** The columns that are shown, in their order. */
  shown: readonly Flat[]
  keyFields: readonly string[]
  /** The record whose panel is open: a document is printed alone. */
  opened: Row | undefined
}

interface Sheet {
  readonly rows: readonly Row[]
  readonly total: number
  /** Each record as a document, in place of a table. */
  readonly asDocuments: boolean
}

interface Printing {
  readonly sheet: JSX.Element | null
  print(): Promise<void>
  /** Prints each record as a document; undefined if the records have no lines. */
  readonly printDocuments: (() => Promise<void>) | undefined
}

/** The sheet while it is being printed, and functions that print all rows. */
export function usePrint(props: Props): Printing {
  const { view, rows, opened } = props
  const sheet = useSignal<Sheet | undefined>(undefined)
  const loaded = (most: number): Omit<Sheet, 'asDocuments'> => {
    const total = rows.total.peek() ?? 0
    const found: Row[] = []
    for (let at = 0; at < Math.min(total, most); at++) {
      const row = rows.row(at)
      if (row === undefined) break
      found.push(row)
    }
    return { rows: found, total }
  }
  const printAs = async (asDocuments: boolean) => {
    const most = asDocuments ? MOST_DOCUMENTS : MOST
    const here = loaded(most)
    const whole = here.rows.length >= Math.min(here.total, most)
    try {
      sheet.value = { ...(whole ? here : await everyRow(props, most)), asDocuments }
    } catch {
      sheet.value = { ...here, asDocuments } // the sheet shows how many rows are missing
    }
    requestAnimationFrame(() => window.print())
  }
  const isDocument = hasDocuments(props.columns) && view.against === undefined
  const print = async () => {
    if (opened === undefined || !isDocument) return await printAs(false)
    sheet.value = { rows: [opened], total: 1, asDocuments: true }
    requestAnimationFrame(() => window.print())
  }
  useEffect(() => {
    // Printing from the browser's menu cannot wait for rows: it prints the rows in memory.
    const before = () => {
      sheet.value ??= { ...loaded(MOST), asDocuments: false }
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
  }, [rows, opened])
  return {
    print,
    printDocuments: isDocument ? () => printAs(true) : undefined,
    sheet: sheet.value === undefined ? null : <SheetOf {...props} {...sheet.value} all={props.rows} />,
  }
}

async function everyRow({ report, values, view }: Props, most: number): Promise<Omit<Sheet, 'asDocuments'>> {
  const found = await allRows(report, values, view, { most })
  if (view.against === undefined || view.group !== undefined) return found
  return { ...found, rows: await withUnchanged(report, values, view, found) }
}

function SheetOf({
  shown,
  report,
  values,
  view,
  rows,
  total,
  asDocuments,
  all,
  columns,
  keyFields,
}: Omit<Props, 'rows'> & Sheet & { all: Rows }) {
  const loaded = loadedAt.get(all.version.value ?? 0)
  const number = (value: number) => grouped(String(value), grouping.value)
  const version = `version ${all.version.value}${loaded === undefined ? '' : `, loaded ${clock(loaded)}`}`
  const isAlone = asDocuments && total === 1
  const order = flatten(shapeOf(report, values)?.columns ?? []).map((flat) => flat.name)
  const declared = [...columns].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
  const kind = asDocuments ? (isWide(columns, rows) ? ' wide documents' : ' documents') : ''
  return (
    <div class={`sheet${kind}`}>
      <header>
        <strong>
          <bdi>{companyName.value}</bdi>
        </strong>
        {!isAlone && <h1>{report.title}</h1>}
        {!isAlone && <p>{askedInWords(report, values, view, columns).join(' · ')}</p>}
        <p class="quiet">
          {!isAlone && `${counted(number(total), asDocuments ? 'document' : 'row')} · `}
          {version}
          {rows.length < total && ` · only the first ${number(rows.length)} are printed; Export has all`}
        </p>
      </header>
      {asDocuments ? (
        rows.map((row, at) => (
          <DocumentSheet key={at} title={report.title} {...{ row, keyFields }} columns={declared} />
        ))
      ) : (
        <Tables {...{ shown, rows, total, all }} />
      )}
    </div>
  )
}

/** The shown columns without lines and without columns that are empty in every row; in several tables if the paper is too narrow. */
function Tables({ shown, rows, total, all }: Pick<Props, 'shown'> & Omit<Sheet, 'asDocuments'> & { all: Rows }) {
  const single = shown.filter(({ column }) => column.kind !== 'lines')
  const filled = single.filter((flat, at) => at === 0 || !isBlank(flat, rows))
  const totals = all.totals.value?.version === all.version.value ? all.totals.value?.row : undefined
  const digits = new Map(
    filled.map((flat) => [flat.name, digitsIn(flat, totals === undefined ? rows : [...rows, totals])]),
  )
  const bands = bandsOf(filled, rows, totals)
  return (
    <>
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
              {band.map((flat) => (
                <th key={flat.name} class={isNumeric(flat.column) ? 'right' : undefined}>
                  {headingOf(flat)}
                  {isAccountMoney(flat) && ` ${currencySign(account.value?.currency) ?? ''}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <td class="right quiet">{index + 1}</td>
                {band.map((flat) => (
                  <td
                    key={flat.name}
                    class={isNumeric(flat.column) ? 'right' : isShort(valueIn(row, flat.path)) ? 'short' : undefined}
                  >
                    {differenceOf(row) === undefined ? (
                      <Cell
                        value={valueIn(row, flat.path)}
                        column={flat.column as ValueColumn}
                        record={row}
                        digits={digits.get(flat.name)}
                      />
                    ) : (
                      <DifferenceValue row={row} flat={flat} digits={digits.get(flat.name) ?? 0} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
            {totals !== undefined &&
              all.changed.value !== undefined &&
              COMPARED_SUMS.map((one) => (
                <tr key={one[0]} class="sum">
                  <td />
                  {band.map((flat, column) => {
                    const sum = comparedSum(totals, flat, one[0])
                    if (column === 0) return <th key={flat.name}>{comparedLabel(totals, one)}</th>
                    return (
                      <td key={flat.name} class="right">
                        {sum !== undefined &&
                          (sum.isNumber ? (
                            <Num
                              text={sum.text}
                              least={leastDigits(flat.column as ValueColumn)}
                              digits={digits.get(flat.name) ?? 0}
                              {...(one[0] === '__difference' && { better: 'neutral' })}
                            />
                          ) : (
                            (sum.title ?? sum.text)
                          ))}
                      </td>
                    )
                  })}
                </tr>
              ))}
            {totals !== undefined && all.changed.value === undefined && (
              <tr class="sum">
                <td />
                {band.map((flat, column) => {
                  const sum = sumOf(totals, flat)
                  if (column === 0) return <th key={flat.name}>{sumsLabel(totals, total)}</th>
                  const least = leastDigits(flat.column as ValueColumn)
                  return (
                    <td key={flat.name} class="right">
                      {sum !== undefined &&
                        (sum.isNumber ? (
                          <Num text={sum.text} least={least} digits={digits.get(flat.name) ?? 0} />
                        ) : (
                          (sum.title ?? sum.text)
                        ))}
                    </td>
                  )
                })}
              </tr>
            )}
          </tbody>
        </table>
      ))}
      {filled.length < single.length && (
        <p class="quiet">
          Empty in every row:{' '}
          {single
            .filter((flat) => !filled.includes(flat))
            .map(headingOf)
            .join(', ')}
          .
        </p>
      )}
    </>
  )
}

/** Period, parameters, filters, search and order. */
export function askedInWords(
  report: CatalogueReport,
  values: Values,
  { filter = [], search, sort, group, having = [], compare, as_known, against }: View,
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
    ...(against === undefined
      ? as_known === undefined
        ? []
        : [knownInWords(as_known)]
      : [changesInWords({ against, as_known })]),
    ...(order.length === 0 ? [] : [`Sorted by ${order.join(', ')}`]),
  ]
}

/** A code or a short name stays on one line. */
const isShort = (value: unknown): boolean => String(value ?? '').length <= 20

/** Width of a landscape page, A4 or Letter, in pixels of the table on the screen. */
const PAPER = 1280
const WIDEST = 190

/** Splits a table that is too wide into several, each beginning with the same first column. */
function bandsOf(shown: readonly Flat[], rows: readonly Row[], totals: Row | undefined): Flat[][] {
  const [first, ...rest] = shown
  if (first === undefined) return []
  const sample = rows.slice(0, 100)
  const widthOf = (flat: Flat) => {
    const need = firstNeed(flat)
    widen(need, flat, sample)
    const most = isNumeric(flat.column) ? Number.POSITIVE_INFINITY : WIDEST
    return Math.max(Math.min(most, need.width - 20), totalWidth(flat, totals, need.digits))
  }
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
