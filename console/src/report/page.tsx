/** One report: its parameters, its status, its table, and the panel of a record. All of it is in the URL. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Failure } from '../api.js'
import { allRows, Rows, totalsOf } from '../ask.js'
import { type CatalogueReport, type KeyPart, keyOf, type Row, reportOf, shapeOf } from '../catalogue.js'
import { clock } from '../dates.js'
import { counted, labelOf } from '../labels.js'
import { place, setQuery } from '../location.js'
import { grouped } from '../numbers.js'
import { Icon } from '../parts/icons.js'
import { Failed, Nothing, useLasting } from '../parts/states.js'
import { compact, grouping } from '../preferences.js'
import { loadedAt, newestVersion } from '../session.js'
import { ChartOf, hasChart } from './chart.js'
import { ColumnsMenu } from './columns-menu.js'
import { Empty } from './empty.js'
import { CodeButton, ExportMenu } from './export.js'
import { FilterChips } from './filter-chips.js'
import { literal } from './filters.js'
import { Panel } from './panel.js'
import { Params } from './params.js'
import { Table } from './table.js'
import { columnsFor, missing, readView } from './view.js'

export function ReportPage({ report }: { report: CatalogueReport }): JSX.Element {
  const { query } = place.value
  const { values, view, row: opened, chart } = readView(report, query)
  const asked = JSON.stringify([report.id, values, view])
  const again = useSignal(0)
  const rows = useMemo(() => new Rows(report, values, view), [asked, again.value])
  useEffect(() => () => rows.end(), [rows])
  const shape = shapeOf(report, values)
  const columns = useMemo(() => columnsFor(report, values), [report, shape?.name])
  const keyFields = (shape?.key ?? []).flatMap(({ path }) => (path === undefined ? [] : [path.join('.')]))
  const waitsFor = missing(report, values)

  const totals = useSignal<{ row: Row; version: number } | undefined>(undefined)
  const hasTotals = columns.some(({ column }) => 'additive' in column && column.additive)
  const version = rows.version.value
  useEffect(() => {
    totals.value = undefined
    if (!hasTotals || waitsFor.length > 0) return
    const controller = new AbortController()
    totalsOf(report, values, view, controller.signal).then(
      (found) => {
        totals.value = found
        if (found.version > newestVersion.peek()) newestVersion.value = found.version
      },
      () => {}, // the table says what is wrong
    )
    return () => controller.abort()
  }, [rows])

  const selected = useSignal<number | undefined>(undefined)
  const field = useSignal<string | undefined>(undefined)
  const editing = useSignal<string | undefined>(undefined)
  const name = shape?.name ? `${report.id}.${shape.name}` : report.id
  const total = rows.total.value
  void rows.revision.value

  const key = shape?.key ?? []
  // A record that a link names is among the first rows, or it is asked for by its key.
  const linked = useSignal<{ key: string; row: Row } | undefined>(undefined)
  useEffect(() => {
    if (opened === undefined) selected.value = undefined
    if (opened === undefined || total === undefined) return
    const isOpened = (index: number) => {
      const row = rows.row(index)
      return row !== undefined && keyOf(row, key) === opened
    }
    if (selected.value !== undefined && (rows.row(selected.value) === undefined || isOpened(selected.value))) return
    const index = Array.from({ length: Math.min(total, 100) }, (_, at) => at).find(isOpened)
    selected.value = index
    if (index !== undefined || linked.value?.key === opened) return
    const controller = new AbortController()
    allRows(report, values, { filter: filtersByKey(opened, key) }, { most: 20, signal: controller.signal }).then(
      (found) => {
        const row = found.rows.find((one) => keyOf(one, key) === opened)
        if (row !== undefined) linked.value = { key: opened, row }
      },
      () => {}, // the table is there without it
    )
    return () => controller.abort()
  }, [opened, rows, rows.revision.value, total, selected, shape])

  const open = (index: number, at?: string) => {
    const row = rows.row(index)
    selected.value = index
    field.value = at
    if (row) setQuery({ ...values, row: keyOf(row, key) }, { replace: true })
  }
  const close = () => {
    selected.value = undefined
    field.value = undefined
    setQuery({ ...values, row: undefined }, { replace: true })
    document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus()
  }
  const change = (changes: Record<string, string | readonly string[] | undefined>) => {
    // The URL holds the whole view: what was a default until now is written down too.
    setQuery({ ...values, row: undefined, ...changes })
  }

  const busy = total === undefined && rows.failure.value === undefined && waitsFor.length === 0
  const slow = useLasting(busy, 2000)
  const sample = rows.row(0)
  const bytesPerRow = useMemo(() => (sample === undefined ? 300 : JSON.stringify(sample).length + 1), [sample])
  const row =
    selected.value !== undefined
      ? rows.row(selected.value)
      : linked.value !== undefined && linked.value.key === opened
        ? linked.value.row
        : undefined
  const newer = version !== undefined && newestVersion.value > version
  const loaded = loadedAt.get(version ?? 0)

  return (
    <div class={row === undefined ? 'report' : 'report with-panel'}>
      <div class="main">
        <header class="title">
          <h1>{report.title}</h1>
          <p class="quiet clip" title={report.summary}>
            {report.summary}
          </p>
        </header>
        <div class="toolbar" role="toolbar" aria-label="Parameters">
          <Params report={report} values={values} onChange={change} />
          <FilterChips
            columns={columns}
            filters={view.filter ?? []}
            onChange={(filter) => change({ filter })}
            editing={editing.value}
            onEdit={(next) => {
              editing.value = next
            }}
          />
          <span class="push" />
          <Search value={view.search ?? ''} onChange={(search) => change({ search: search || undefined })} />
          {hasChart(report.id, shape?.name) && (
            <button
              type="button"
              class={chart ? 'chip on' : 'chip'}
              aria-pressed={chart}
              title="Chart"
              aria-label="Chart"
              onClick={() => change({ chart: chart ? undefined : 'yes' })}
            >
              <Icon name="chart" />
            </button>
          )}
          <ExportMenu report={report} values={values} view={view} total={total} bytesPerRow={bytesPerRow} />
          <CodeButton report={report} values={values} view={view} />
        </div>
        <div class="status" role="status">
          <span>
            {total === undefined ? (
              busy ? (
                'Working…'
              ) : (
                ' '
              )
            ) : (
              <>
                <strong>{counted(grouped(String(total), grouping.value), 'row')}</strong> · version {version}
                {loaded !== undefined && `, loaded ${clock(loaded)}`} · {rows.took.value} ms
              </>
            )}
          </span>
          {newer && (
            <button type="button" class="link" onClick={() => again.value++}>
              Newer data is there · show it
            </button>
          )}
          {slow && (
            <span>
              The service is computing this report.{' '}
              <button
                type="button"
                class="link"
                onClick={() => {
                  rows.end()
                  rows.failure.value = new Failure('You stopped this report.', 0)
                }}
              >
                Stop
              </button>
            </span>
          )}
          <span class="push" />
          <button
            type="button"
            class="chip plain"
            aria-pressed={compact.value}
            onClick={() => {
              compact.value = !compact.value
            }}
          >
            {compact.value ? 'Normal rows' : 'Compact rows'}
          </button>
          <ColumnsMenu name={name} columns={columns} keyFields={keyFields} />
        </div>
        {chart && hasChart(report.id, shape?.name) && waitsFor.length === 0 && (
          <ChartOf key={asked} report={report} values={values} view={view} />
        )}
        {waitsFor.length > 0 ? (
          <Nothing>
            <p>
              This report needs {waitsFor.map(({ name }) => labelOf(name).toLowerCase()).join(' and ')}: choose above.
            </p>
          </Nothing>
        ) : rows.failure.value !== undefined && total === undefined ? (
          <Failed failure={rows.failure.value} again={() => again.value++} />
        ) : total === 0 ? (
          <Empty report={report} values={values} view={view} columns={columns} onChange={change} />
        ) : (
          <>
            {rows.failure.value !== undefined && (
              <p class="note bad" role="alert">
                {rows.failure.value.status === 410 ? 'The data moved on.' : rows.failure.value.message}{' '}
                <button type="button" class="link" onClick={() => again.value++}>
                  {rows.failure.value.status === 410 ? 'Show the newest version' : 'Try again'}
                </button>
              </p>
            )}
            <Table
              name={name}
              question={asked}
              rows={rows}
              columns={columns}
              keyFields={keyFields}
              // A load between both requests: the sums of another version do not belong under these rows.
              totals={totals.value?.version === version ? totals.value?.row : undefined}
              sort={view.sort}
              onSort={(sort) => change({ sort })}
              onFilter={(next) => {
                editing.value = next
              }}
              selected={selected}
              onOpen={open}
              canDrill={({ column }) => 'behind' in column && reportOf(column.behind?.report ?? '') !== undefined}
            />
          </>
        )}
      </div>
      {row !== undefined && (
        <Panel
          report={report}
          values={values}
          columns={columns}
          keyFields={keyFields}
          row={row}
          index={selected.value}
          total={total ?? 0}
          field={field.value}
          onField={(next) => {
            field.value = next
          }}
          onMove={(by) => {
            const next = (selected.value ?? 0) + by
            if (next >= 0 && next < (total ?? 0)) {
              rows.need(next, next)
              open(next, field.value)
            }
          }}
          onClose={close}
        />
      )}
    </div>
  )
}

/** Filters that only the record with this key matches, as far as it shows its key. */
function filtersByKey(text: string, key: readonly KeyPart[]): string[] {
  try {
    const values = JSON.parse(text) as unknown[]
    return key
      .flatMap(({ path }) => (path === undefined ? [] : [path.join('.')]))
      .map((name, at) => `${name}=${literal(String(values[at] ?? ''))}`)
  } catch {
    return ['='] // no key: nothing matches
  }
}

/** Runs when the typing pauses. */
function Search({ value, onChange }: { value: string; onChange: (value: string) => void }): JSX.Element {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current !== null && document.activeElement !== input.current) input.current.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), []) // whoever leaves has stopped searching
  return (
    <label class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        id="search-rows"
        placeholder="Search rows"
        aria-label="Search the rows of this report"
        defaultValue={value}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onChange(currentTarget.value.trim()), 250)
        }}
      />
    </label>
  )
}
