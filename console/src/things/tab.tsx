/** A tab of a thing's page: a filtered report as a table, whose rows open the panel. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Failure } from '../api.js'
import { Rows, totalsOf } from '../ask.js'
import { type CatalogueReport, type Flat, reportOf } from '../catalogue.js'
import { go } from '../location.js'
import { Failed, Nothing } from '../parts/states.js'
import { answerOf } from '../report/answer.js'
import { useColumns } from '../report/columns.js'
import { Panel } from '../report/panel.js'
import { rowsBehind } from '../report/rows-behind.js'
import { StatusLine } from '../report/status.js'
import { Table } from '../report/table.js'
import { reportUrl } from '../report/view.js'
import type { Tab } from './kinds.js'

export function TabOf({ tab, name }: { tab: Tab; name: string }): JSX.Element | null {
  const report = reportOf(tab.asked.report)
  return report === undefined ? null : <TableOf {...{ tab, name, report }} />
}

function TableOf({ tab, name, report }: { tab: Tab; name: string; report: CatalogueReport }): JSX.Element {
  const values = tab.asked.values ?? {}
  const sort = useSignal(tab.asked.view?.sort)
  const view = { ...tab.asked.view, sort: sort.value }
  const asked = JSON.stringify([report.id, values, view])
  const again = useSignal(0)
  const rows = useMemo(() => new Rows(report, values, view), [asked, again.value])
  useEffect(() => () => rows.end(), [rows])
  const columns = useMemo(() => {
    const all = answerOf(report, values, view).columns
    const isSame = ({ name }: Flat) => tab.without?.includes(name) === true
    // The first column is pinned, so it must be one that differs.
    return [...all.filter((flat) => !isSame(flat)), ...all.filter(isSame).map((flat) => ({ ...flat, isFirst: false }))]
  }, [report, asked])
  const chosen = useColumns(`things.${name}`, columns, { fields: undefined, onFields: () => {}, isDerived: false })
  const hasTotals = columns.some(({ column }) => 'additive' in column && column.additive)
  useEffect(() => {
    if (!hasTotals || view.group !== undefined) return
    const controller = new AbortController()
    totalsOf(report, values, view, controller.signal).then(
      (found) => {
        rows.totals.value = found
      },
      () => {}, // the table shows the error
    )
    return () => controller.abort()
  }, [rows])
  useEffect(() => rows.need(0, 0), [rows])

  const selected = useSignal<number | undefined>(undefined)
  const field = useSignal<string | undefined>(undefined)
  void rows.revision.value
  const total = rows.total.value
  const failure = rows.failure.value
  const row = selected.value === undefined ? undefined : rows.row(selected.value)
  const open = (index: number, at?: string) => {
    const group = view.group === undefined ? undefined : rows.row(index)
    if (group !== undefined) return go(rowsBehind({ report, values, view }, answerOf(report, values, view).keys, group))
    field.value = at
    selected.value = index
  }
  const url = reportUrl(report.id, values, view)
  return (
    <div class={row === undefined ? 'report' : 'report with-panel'}>
      <div class="main">
        <div class="status" role="status">
          {tab.about !== undefined && <strong>{tab.about}</strong>}
          <StatusLine
            rows={rows}
            noun={view.group === undefined ? 'row' : 'group'}
            sort={view.sort}
            busy={total === undefined && failure === undefined}
            old={false}
            onNewer={() => again.value++}
            onStop={() => {
              rows.end()
              rows.failure.value = new Failure('You stopped this report.', -1)
            }}
          />
          <a href={url}>Open as a report</a>
        </div>
        {failure !== undefined && total === undefined ? (
          <Failed failure={failure} again={() => again.value++} />
        ) : total === 0 ? (
          <Nothing>
            <p>{tab.empty}</p>
          </Nothing>
        ) : (
          <Table
            label={tab.title}
            chosen={chosen}
            question={asked}
            rows={rows}
            columns={columns}
            sort={view.sort}
            onSort={(next) => {
              sort.value = next
            }}
            onFilter={() => go(url)}
            selected={selected}
            onOpen={open}
            canDrill={({ column }) => 'behind' in column && reportOf(column.behind?.report ?? '') !== undefined}
          />
        )}
      </div>
      {row !== undefined && view.group === undefined && (
        <Panel
          report={report}
          values={values}
          view={view}
          columns={columns}
          rows={rows}
          row={row}
          index={selected.value}
          field={field}
          onOpen={(index) => {
            selected.value = index
          }}
          onClose={() => {
            selected.value = undefined
          }}
        />
      )}
    </div>
  )
}
