/** One report: its parameters, its status, its table, and the panel of a record. All of it is in the URL. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Failure } from '../api.js'
import { Rows, totalsOf } from '../ask.js'
import { type CatalogueReport, reportOf, shapeOf } from '../catalogue.js'
import { labelOf } from '../labels.js'
import { go, place, setQuery } from '../location.js'
import { Icon } from '../parts/icons.js'
import { Failed, Nothing } from '../parts/states.js'
import { compact } from '../preferences.js'
import { newestVersion, offline } from '../session.js'
import { ChartOf, hasChart } from './chart.js'
import { ColumnsMenu } from './columns-menu.js'
import { Empty } from './empty.js'
import { CodeButton, ExportMenu } from './export.js'
import { FilterChips } from './filter-chips.js'
import { useOpened } from './opened.js'
import { Panel } from './panel.js'
import { Params } from './params.js'
import { usePrint } from './print.js'
import { StatusLine } from './status.js'
import { Table } from './table.js'
import { columnsFor, missing, readView, reportUrl } from './view.js'

export function ReportPage({ report }: { report: CatalogueReport }): JSX.Element {
  const read = readView(report, place.value.query)
  const { values, view, chart } = read
  const asked = JSON.stringify([report.id, values, view])
  const again = useSignal(0)
  const next = useMemo(() => new Rows(report, values, view), [asked, again.value])
  useEffect(() => () => next.end(), [next])
  const shape = shapeOf(report, values)
  const columns = useMemo(() => columnsFor(report, values), [report, shape?.name])
  const key = shape?.key ?? []
  const keyFields = key.flatMap(({ path }) => (path === undefined ? [] : [path.join('.')]))
  const waitsFor = missing(report, values)
  const name = shape?.name ? `${report.id}.${shape.name}` : report.id

  // The old rows stay until new rows replace them: while the same question is asked again, and while a parameter is missing.
  const held = useRef<{ rows: Rows; asked: string; name: string } | undefined>(undefined)
  if (next.total.value !== undefined) held.current = { rows: next, asked, name }
  const unreachable = next.failure.value?.status === 0
  const kept = held.current?.name === name && (held.current.asked === asked || unreachable) ? held.current : undefined
  const rows = kept?.rows ?? next
  const isEarlier = kept !== undefined && kept.asked !== asked
  useEffect(() => {
    if (!offline.value && next.failure.peek()?.status === 0) next.retry()
  }, [offline.value, next])
  useEffect(() => {
    if (next.total.peek() === undefined && waitsFor.length === 0) next.need(0, 0)
  }, [next])

  const hasTotals = columns.some(({ column }) => 'additive' in column && column.additive)
  useEffect(() => {
    if (!hasTotals || waitsFor.length > 0 || next.totals.peek() !== undefined || offline.value) return
    const controller = new AbortController()
    totalsOf(report, values, view, controller.signal).then(
      (found) => {
        next.totals.value = found
        if (found.version > newestVersion.peek()) newestVersion.value = found.version
      },
      () => {}, // the table shows the error
    )
    return () => controller.abort()
  }, [next, offline.value])

  const { index: selected, row, open, close } = useOpened(report, read, rows, key)
  const field = useSignal<string | undefined>(undefined)
  const editing = useSignal<string | undefined>(undefined)
  const total = rows.total.value
  void rows.revision.value

  const change = (changes: Record<string, string | readonly string[] | undefined>) => {
    // The URL has the whole view, so the defaults are written into it too.
    setQuery({ ...values, row: undefined, at: undefined, ...changes })
  }
  const closePanel = () => {
    field.value = undefined
    close()
    document.querySelector<HTMLElement>('.grid [tabindex="0"]')?.focus()
  }
  const { sheet, print, printDocuments } = usePrint({
    name,
    report,
    values,
    view,
    rows,
    columns,
    keyFields,
    opened: row,
  })

  const failure = next.failure.value
  const busy = next.total.value === undefined && failure === undefined && waitsFor.length === 0
  const sample = rows.row(0)
  const bytesPerRow = useMemo(() => (sample === undefined ? 300 : JSON.stringify(sample).length + 1), [sample])
  const old = total !== undefined && (offline.value || isEarlier)

  return (
    <>
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
              {...{ report, values, view, columns }}
              onChange={(filter) => change({ filter })}
              editing={editing.value}
              onEdit={(next) => {
                editing.value = next
              }}
            />
            <div class="tools">
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
              <ExportMenu
                report={report}
                values={values}
                view={view}
                total={failure === undefined ? total : undefined}
                bytesPerRow={bytesPerRow}
                onPrint={print}
                onPrintDocuments={printDocuments}
              />
              <CodeButton report={report} values={values} view={view} />
            </div>
          </div>
          <div class="status" role="status">
            <StatusLine
              rows={rows}
              sort={isEarlier ? undefined : view.sort}
              busy={busy}
              old={old}
              onNewer={() => again.value++}
              onStop={() => {
                next.end()
                next.failure.value = new Failure('You stopped this report.', STOPPED)
              }}
            />
            <button
              type="button"
              class="chip plain density"
              aria-pressed={compact.value}
              onClick={() => {
                compact.value = !compact.value
              }}
            >
              Compact rows
            </button>
            <ColumnsMenu name={name} columns={columns} />
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
          ) : failure !== undefined && total === undefined ? (
            <Failed failure={failure} again={() => again.value++} onReset={() => go(reportUrl(report.id))} />
          ) : total === 0 ? (
            <Empty report={report} values={values} view={view} columns={columns} onChange={change} />
          ) : (
            <>
              {failure !== undefined && (
                <p class="note bad" role="alert">
                  {failure.status === 410 ? 'The data moved on.' : failure.message}{' '}
                  {isEarlier && 'These rows show the view before your last change. '}
                  <button
                    type="button"
                    class="link"
                    onClick={() => (failure.status === 410 ? again.value++ : next.retry())}
                  >
                    {failure.status === 410 ? 'Show the newest version' : 'Try again'}
                  </button>
                </p>
              )}
              <Table
                label={report.title}
                name={name}
                question={kept?.asked ?? asked}
                rows={rows}
                columns={columns}
                sort={view.sort}
                onSort={(sort) => change({ sort })}
                onFilter={(next) => {
                  editing.value = next
                }}
                selected={selected}
                onOpen={(index, at) => {
                  field.value = at
                  open(index)
                }}
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
              const to = (selected.value ?? 0) + by
              if (to >= 0 && to < (total ?? 0)) open(to)
            }}
            onClose={closePanel}
          />
        )}
      </div>
      {sheet}
    </>
  )
}

/** Status of a report that the user stopped; neither the network's (0) nor the service's. */
const STOPPED = -1

/** Longest search that the service accepts. */
const LONGEST_SEARCH = 200

/** A search field that runs when the user pauses typing. */
function Search({ value, onChange }: { value: string; onChange: (value: string) => void }): JSX.Element {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(value)
  // The back button changes the words too, but not while the user is typing.
  useEffect(() => {
    if (value === sent.current) return
    clearTimeout(timer.current)
    sent.current = value
    if (input.current !== null) input.current.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), []) // leaving the page cancels a pending search
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
        maxLength={LONGEST_SEARCH}
        onInput={({ currentTarget }) => {
          clearTimeout(timer.current)
          timer.current = setTimeout(() => {
            sent.current = currentTarget.value.trim()
            onChange(sent.current)
          }, 250)
        }}
      />
    </label>
  )
}
