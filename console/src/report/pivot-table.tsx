/** Shows a pivot as a table; a click on a figure opens the rows behind it. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import { Rows, type View } from '../ask.js'
import { type CatalogueReport, type Flat, isNumeric, type Row, type Values, valueIn } from '../catalogue.js'
import { go } from '../location.js'
import { compare } from '../numbers.js'
import { Failed } from '../parts/states.js'
import { BEFORE } from './answer.js'
import { useColumns } from './columns.js'
import { type Figure, type Groups, groupsOf, viewOfFigure } from './groups.js'
import { type Pivot, pivotOf } from './pivot.js'
import { rowsBehind } from './rows-behind.js'
import { Table } from './table.js'

/** The most groups that a pivot fetches. */
const MOST = 50_000

export interface Shown {
  readonly rows: Rows
  readonly columns: readonly Flat[]
  /** The columns that are shown, in their order. */
  readonly shown: readonly Flat[]
}

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  figure: Figure
  /** Tells the page what is shown, for printing and the status line. */
  onShown: (shown: Shown | undefined) => void
  onFilter: (field: string) => void
}

/** Rows that are in memory. */
class FixedRows extends Rows {
  readonly #fixed: readonly Row[]

  constructor(
    { report, values, view }: Pick<Props, 'report' | 'values' | 'view'>,
    fixed: readonly Row[],
    pivot: Pivot,
    version: number,
  ) {
    super(report, values, view)
    this.#fixed = fixed
    this.total.value = fixed.length
    this.version.value = version
    if (pivot.totals !== undefined) this.totals.value = { row: pivot.totals, version }
  }

  override row(index: number): Row | undefined {
    return this.#fixed[index]
  }

  override need(): void {}
}

export function PivotTable({ report, values, view, figure, onShown, onFilter }: Props): JSX.Element {
  const found = useSignal<Groups | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const again = useSignal(0)
  const sort = useSignal<string | undefined>(undefined)
  const selected = useSignal<number | undefined>(undefined)
  const asked = viewOfFigure(view, figure)
  const question = JSON.stringify([values, asked, figure.flat.name])
  useEffect(() => {
    const controller = new AbortController()
    failure.value = undefined
    groupsOf(report, values, asked, MOST, controller.signal).then(
      (groups) => {
        found.value = groups
      },
      (error: Error) => {
        if (error.name !== 'AbortError') failure.value = asFailure(error)
      },
    )
    return () => controller.abort()
  }, [question, again.value])

  const groups = found.value
  const pivot = useMemo(() => (groups === undefined ? undefined : pivotOf(groups, figureIn(groups, figure))), [groups])
  const fields = useSignal<string | undefined>(undefined)
  const chosen = useColumns(`${report.id} pivot`, pivotColumns(pivot), {
    fields: fields.value,
    onFields: (next) => {
      fields.value = next
    },
    isDerived: true,
  })
  const shown = useMemo((): (Omit<Shown, 'shown'> & { pivot: Pivot }) | undefined => {
    if (groups === undefined || pivot === undefined || typeof pivot === 'string') return undefined
    const rows = sorted(pivot, sort.value)
    return { pivot, columns: pivot.columns, rows: new FixedRows({ report, values, view }, rows, pivot, groups.version) }
  }, [pivot, sort.value])
  useEffect(() => {
    onShown(shown && { rows: shown.rows, columns: shown.columns, shown: chosen.shown })
    return () => onShown(undefined)
  }, [shown, chosen.shown])

  if (failure.value !== undefined) return <Failed failure={failure.value} again={() => again.value++} />
  if (typeof pivot === 'string') return <p class="note">{pivot}</p>
  if (shown === undefined) return <p class="pivot-note quiet">Working…</p>
  const open = (index: number, name?: string) => {
    const row = shown.rows.row(index)
    if (row === undefined) return
    const { rowKeys, columnKey, values: columns } = shown.pivot
    const column = name === undefined ? undefined : columns.get(name)
    const keys = column === undefined ? rowKeys : [...rowKeys, columnKey]
    const group = atPaths([
      ...rowKeys.map(({ flat }) => [flat, row[flat.name]] as const),
      ...(column === undefined ? [] : [[columnKey.flat, column] as const]),
    ])
    go(rowsBehind({ report, values, view }, keys, group, figure.flat.name.endsWith(BEFORE)))
  }
  return (
    <>
      {shown.pivot.note !== undefined && <p class="pivot-note quiet">{shown.pivot.note}</p>}
      <Table
        label={`${report.title}, as a pivot`}
        chosen={chosen}
        isWide
        question={question}
        rows={shown.rows}
        columns={shown.columns}
        sort={sort.value}
        onSort={(next) => {
          sort.value = next
        }}
        onFilter={(name) => {
          const key = shown.pivot.rowKeys.find(({ flat }) => flat.name === name) ?? shown.pivot.columnKey
          onFilter(key.source.name)
        }}
        selected={selected}
        onOpen={open}
        canDrill={({ column }) => isNumeric(column)}
      />
    </>
  )

  /** The same figure in an answer that has fewer. */
  function figureIn(groups: Groups, figure: Figure): Figure {
    const flat = groups.answer.columns.find(({ name }) => name === figure.flat.name) ?? figure.flat
    return { ...figure, flat }
  }
}

const NO_COLUMNS: readonly Flat[] = []
const pivotColumns = (pivot: Pivot | string | undefined): readonly Flat[] =>
  pivot === undefined || typeof pivot === 'string' ? NO_COLUMNS : pivot.columns

/** A record with these values at the paths of their columns. */
function atPaths(values: readonly (readonly [Flat, unknown])[]): Row {
  const record: Record<string, unknown> = {}
  for (const [{ path }, value] of values) {
    let around = record
    for (const name of path.slice(0, -1)) {
      around[name] ??= {}
      around = around[name] as Record<string, unknown>
    }
    around[path.at(-1) as string] = value
  }
  return record
}

/** Rows without a value come last. */
function sorted({ rows, columns }: Pivot, sort: string | undefined): readonly Row[] {
  const flat = columns.find(({ name }) => name === sort?.replace(/^-/, ''))
  if (flat === undefined || sort === undefined) return rows
  const sign = sort.startsWith('-') ? -1 : 1
  const of = (row: Row) => valueIn(row, flat.path) as string | null | undefined
  const some = rows.filter((row) => of(row) != null)
  const order = (a: string, b: string) => (isNumeric(flat.column) ? compare(a, b) : a < b ? -1 : a > b ? 1 : 0)
  return [...some.sort((a, b) => sign * order(String(of(a)), String(of(b)))), ...rows.filter((row) => of(row) == null)]
}
