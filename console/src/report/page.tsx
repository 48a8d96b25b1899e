/** One report: its parameters, its status, its table, and the panel of a record. All of it is in the URL. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Failure } from '../api.js'
import { Rows, totalsOf, type View } from '../ask.js'
import { type CatalogueReport, isNumeric, reportOf, shapeOf } from '../catalogue.js'
import { labelOf } from '../labels.js'
import { go, place, setQuery } from '../location.js'
import { pin } from '../overview/pins.js'
import { Icon } from '../parts/icons.js'
import { Failed, Nothing } from '../parts/states.js'
import { compact } from '../preferences.js'
import { newestVersion, offline } from '../session.js'
import { ViewHeading } from '../views/heading.js'
import { SaveDialog } from '../views/save-dialog.js'
import { definitionOf, periodWord, type SavedView, shownOf, viewUrl } from '../views/saved.js'
import { answerOf, BEFORE, CHANGE, columnsFor, firstGroup, firstMeasures, isAdditive, pruned } from './answer.js'
import { BandsChart, hasBands } from './bands.js'
import { GroupChart, hasChart, hasMonthEnds, MonthEnds, PivotTable } from './chart.js'
import { useColumns } from './columns.js'
import { ColumnsMenu } from './columns-menu.js'
import { differenceColumns, NothingChanged, nameFirst } from './differences.js'
import { Empty } from './empty.js'
import { CodeButton, ExportMenu } from './export.js'
import { FilterChips } from './filter-chips.js'
import { filterInWords } from './filters.js'
import { CompareButton, CompareItems, GroupButton } from './group-menu.js'
import { earlier, keyInWords } from './group-words.js'
import { figureNamed } from './groups.js'
import { isOfPast, KnownChips, PastFailed, PastNote } from './known.js'
import { pastOf } from './known-words.js'
import { useOpened } from './opened.js'
import { keyFieldsOf, Panel } from './panel.js'
import { Params } from './params.js'
import type { Shown } from './pivot-table.js'
import { usePrint } from './print.js'
import { rowsBehind } from './rows-behind.js'
import { ShowAs } from './show-as.js'
import { StatusLine } from './status.js'
import { Table } from './table.js'
import { asDifferences, inUrl, missing, type ReportView, readView, reportUrl } from './view.js'
import { OutdatedView, WrongView } from './wrong-view.js'

interface Props {
  report: CatalogueReport
  /** The saved view that the page shows, at its own URL. */
  saved?: SavedView
  onStored?: (stored: SavedView) => void
}

export function ReportPage({ report, saved, onStored = () => {} }: Props): JSX.Element {
  const { query } = place.value
  // The URL of a saved view has nothing until something is changed; then it has the whole view.
  const opened = saved === undefined ? undefined : shownOf(report, saved)
  const isOriginal = opened !== undefined && !query.has(CHANGED)
  const inQuery = readView(report, query)
  // A saved view has no version: the URL names one beside it.
  const whole = {
    ...inQuery,
    ...(isOriginal && opened && { ...opened, view: { ...opened.view, ...pastOf(inQuery.view) } }),
  }
  const read = asDifferences(whole)
  const { values, view, show } = read
  const areDifferences = view.against !== undefined
  // The rows have all columns, whichever are shown.
  const asked = JSON.stringify([report.id, values, { ...view, fields: undefined }])
  const again = useSignal(0)
  const next = useMemo(() => new Rows(report, values, view), [asked, again.value])
  useEffect(() => () => next.end(), [next])
  const shape = shapeOf(report, values)
  const answer = useMemo(() => answerOf(report, values, view), [report, asked])
  const { columns } = answer
  const fields = useMemo(() => columnsFor(report, values), [report, shape?.name])
  const isGrouped = view.group !== undefined
  const key = shape?.key ?? []
  const waitsFor = missing(report, values)
  const lacksDates = view.compare !== undefined && earlier(values, view.compare) === undefined
  const isBlocked = waitsFor.length > 0 || answer.wrong.length > 0 || lacksDates
  const kind = `${isGrouped ? ' grouped' : view.compare ? ' compared' : ''}${areDifferences ? ' against' : ''}`
  const name = `${shape?.name ? `${report.id}.${shape.name}` : report.id}${kind}`

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
    if (next.total.peek() === undefined && !isBlocked) next.need(0, 0)
  }, [next])

  // The sums of all records would not be the sums of the groups that a condition leaves.
  const hasTotals = columns.some(isAdditive) && !view.having?.length
  useEffect(() => {
    if (!hasTotals || isBlocked || next.totals.peek() !== undefined || offline.value) return
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
  const pivot = useSignal<Shown | undefined>(undefined)
  const saving = useSignal(false)
  const field = useSignal<string | undefined>(undefined)
  const editing = useSignal<string | undefined>(undefined)
  const editingHaving = useSignal<string | undefined>(undefined)
  const total = rows.total.value
  void rows.revision.value

  const mark = saved === undefined ? undefined : 'yes'
  const change = (changes: Record<string, string | readonly string[] | undefined>) => {
    // The URL has the whole view, so the defaults are written into it too.
    setQuery({ ...inUrl(whole), [CHANGED]: mark, row: undefined, at: undefined, ...changes })
  }
  const keepFields = (next: string | undefined) =>
    setQuery({ ...inUrl(whole), [CHANGED]: mark, fields: next }, { replace: true })
  const own = useColumns(name, columns, {
    fields: whole.view.fields,
    onFields: keepFields,
    isDerived: isGrouped || view.compare !== undefined || saved !== undefined || areDifferences,
  })
  const changed = rows.changed.value
  const compared = useMemo(() => {
    const parts = isGrouped
      ? answer.keys.map(({ flat: { name, path } }) => ({ column: name, descending: false, path }))
      : key
    return differenceColumns(columns, parts, changed)
  }, [columns, changed])
  const chosen = areDifferences ? compared : own
  const changeView = (next: View, more: Partial<Pick<ReportView, 'show' | 'figure'>> = {}) =>
    change(
      inUrl({
        values,
        view: next,
        show: next.group || hasMonthEnds(report.id) ? show : 'table',
        figure: read.figure,
        ...more,
      }),
    )
  const changePast = (past: Pick<View, 'as_known' | 'against'>) => setQuery({ ...past, row: undefined, at: undefined })
  const figure = isGrouped ? figureNamed(answer, read.figure) : undefined
  const isPivot = show === 'pivot' && figure !== undefined && answer.keys.filter(({ isUnit }) => !isUnit).length > 1
  const { sheet, print, printDocuments } = usePrint({
    ...{ report, values, view, keyFields: keyFieldsOf(report, values) },
    rows: pivot.value?.rows ?? rows,
    columns: pivot.value?.columns ?? columns,
    // On paper, every part of a wide table begins with the name.
    shown: pivot.value?.shown ?? (areDifferences ? nameFirst(chosen.shown) : chosen.shown),
    opened: isGrouped ? undefined : row,
  })
  const openRow = (index: number, at?: string) => {
    if (!isGrouped) {
      field.value = at
      return open(index)
    }
    const group = rows.row(index)
    if (group !== undefined) go(rowsBehind({ report, values, view }, answer.keys, group, at?.endsWith(BEFORE)))
  }
  /** Filters choose rows before they are grouped; a condition on a figure chooses groups. */
  const filterBy = (name: string) => {
    const key = answer.keys.find(({ flat }) => flat.name === name)
    const isFigure = key === undefined && (isGrouped || name.endsWith(BEFORE) || name.endsWith(CHANGE))
    if (isFigure) editingHaving.value = name
    else editing.value = key?.source.name ?? name
  }
  const toggleChart = () => {
    if (show !== 'table' && show !== 'pivot') return change({ show: undefined })
    if (isGrouped || hasMonthEnds(report.id)) return change({ show: 'chart' })
    const group = firstGroup(report, values)
    changeView(pruned(report, values, { ...view, group, measures: firstMeasures(report, values) }), { show: 'chart' })
  }
  const pinThis = () => {
    const period = isOriginal ? saved?.period : periodWord(report, values, view.compare)?.word
    const { name: _, shared: __, ...definition } = definitionOf(report, whole, { name: '', shared: 'nobody', period })
    const title = [report.title, ...answer.keys.filter(({ isUnit }) => !isUnit).map(keyInWords)].join(', ')
    pin({
      ...{ title: saved?.name ?? title, definition },
      ...(isOriginal && saved !== undefined && { view: saved.id }),
      ...(isChart && isGrouped && { kind: 'chart' as const, style: show === 'lines' ? 'lines' : 'columns' }),
    })
  }
  const isChart = show !== 'table' && show !== 'pivot'
  const isChanged =
    opened !== undefined && !isOriginal && JSON.stringify(inUrl(opened)) !== JSON.stringify(inUrl(whole))

  const failure = next.failure.value
  const busy = next.total.value === undefined && failure === undefined && !isBlocked
  const sample = rows.row(0)
  const bytesPerRow = useMemo(() => (sample === undefined ? 300 : JSON.stringify(sample).length + 1), [sample])
  const old = total !== undefined && (offline.value || isEarlier)

  const tools = (
    <div class="tools">
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
      <button type="button" class="chip" aria-haspopup="dialog" title="Pin to the overview" onClick={pinThis}>
        <Icon name="pin" /> <span class="word-of">Pin</span>
      </button>
      {saved === undefined && (
        <button
          type="button"
          class="chip"
          aria-haspopup="dialog"
          title="Save view: keeps what you see under a name"
          onClick={() => {
            saving.value = true
          }}
        >
          <Icon name="save" /> <span class="word-of">Save view</span>
        </button>
      )}
    </div>
  )

  return (
    <>
      <div class={row === undefined || isGrouped ? 'report' : 'report with-panel'}>
        <div class="main">
          {saved === undefined ? (
            <header class="title">
              <h1>{report.title}</h1>
              <p class="quiet clip" title={report.summary}>
                {report.summary}
              </p>
              {tools}
            </header>
          ) : (
            <ViewHeading {...{ report, saved, isChanged, onStored, tools }} shown={whole} />
          )}
          <div class="toolbar" role="toolbar" aria-label="Parameters">
            <Params
              report={report}
              values={values}
              onChange={change}
              besideDates={<KnownChips past={pastOf(view)} onChange={changePast} />}
              underDates={(close) => (
                <div class="under-dates" role="group" aria-label="Compare">
                  <CompareItems
                    values={values}
                    view={view}
                    onChoose={(compare) => {
                      close()
                      changeView(pruned(report, values, { ...view, compare }))
                    }}
                  />
                </div>
              )}
            />
            <FilterChips
              {...{ report, values, view }}
              columns={fields}
              onChange={(filter) => change({ filter })}
              editing={editing.value}
              onEdit={(next) => {
                editing.value = next
              }}
            />
            {(view.having?.length || editingHaving.value !== undefined) && (
              <FilterChips
                label="Condition on figures"
                {...{ report, values }}
                view={{ filter: view.having }}
                columns={columns.filter(({ column }) => isNumeric(column))}
                onChange={(having) => change({ having })}
                editing={editingHaving.value}
                onEdit={(next) => {
                  editingHaving.value = next
                }}
              />
            )}
            <GroupButton {...{ report, values, view, answer }} onView={changeView} />
            {!areDifferences && <CompareButton {...{ report, values, view }} onView={changeView} />}
            <div class="find">
              <Search value={view.search ?? ''} onChange={(search) => change({ search: search || undefined })} />
              {(isGrouped || hasChart(report, values)) && !areDifferences && (
                <button
                  type="button"
                  class={isChart ? 'chip on' : 'chip'}
                  aria-pressed={isChart}
                  title={isGrouped || isChart ? 'Chart' : 'Chart: groups the rows'}
                  aria-label="Chart"
                  onClick={toggleChart}
                >
                  <Icon name="chart" />
                </button>
              )}
            </div>
          </div>
          <div class="status" role="status">
            <StatusLine
              rows={rows}
              noun={isGrouped ? 'group' : 'row'}
              past={pastOf(view)}
              sort={isEarlier ? undefined : view.sort}
              busy={busy}
              old={old}
              onNewer={() => again.value++}
              onStop={() => {
                next.end()
                next.failure.value = new Failure('You stopped this report.', STOPPED)
              }}
            />
            {!areDifferences && (
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
            )}
            {!isPivot && !areDifferences && <ColumnsMenu columns={columns} chosen={chosen} />}
          </div>
          {failure === undefined && <PastNote past={pastOf(view)} version={rows.version.value} onChange={changePast} />}
          {isGrouped && !isBlocked && !areDifferences && (
            <ShowAs
              {...{ answer, show, figure }}
              onShow={(next) => change({ show: next === 'table' ? undefined : next })}
              onFigure={(next) => change({ figure: next })}
            />
          )}
          {isChart && !isBlocked && figure !== undefined && total !== 0 && (
            <GroupChart {...{ report, values, view, answer, figure }} kind={show === 'chart' ? undefined : show} />
          )}
          {isChart && !isBlocked && !isGrouped && hasMonthEnds(report.id) && (
            <MonthEnds key={asked} {...{ report, values, view }} />
          )}
          {hasBands(report.id) && !isGrouped && !areDifferences && !isBlocked && total !== undefined && total > 0 && (
            <BandsChart key={asked} {...{ report, values, view }} />
          )}
          {waitsFor.length > 0 ? (
            <Nothing>
              <p>
                This report needs{' '}
                {waitsFor.map((names) => names.map((name) => labelOf(name).toLowerCase()).join(' or ')).join(' and ')}:
                choose above.
              </p>
            </Nothing>
          ) : isBlocked ? (
            <WrongView
              {...{ report, values, view, answer }}
              onView={changeView}
              about={saved === undefined ? 'This link' : 'This view'}
            />
          ) : saved !== undefined && failure?.status === 422 && total === undefined && !isOfPast(failure, view) ? (
            <OutdatedView {...{ report, values, view, failure }} onView={changeView} />
          ) : failure !== undefined && total === undefined && isOfPast(failure, view) ? (
            <PastFailed {...{ failure, view }} onChange={changePast} />
          ) : failure !== undefined && total === undefined ? (
            <Failed failure={failure} again={() => again.value++} onReset={() => go(reportUrl(report.id))} />
          ) : total === 0 && areDifferences ? (
            <NothingChanged view={view} onShow={() => changePast({ against: undefined })} />
          ) : total === 0 && view.having?.length ? (
            <Nothing>
              <p>
                No {isGrouped ? 'group' : 'row'} meets the condition{' '}
                {view.having.map((text) => filterInWords(text, columns)).join(' and ')}.
              </p>
              <button type="button" class="button" onClick={() => change({ having: undefined })}>
                Drop the condition
              </button>
            </Nothing>
          ) : total === 0 ? (
            <Empty report={report} values={values} view={view} columns={fields} onChange={change} />
          ) : isPivot ? (
            <PivotTable
              {...{ report, values, view, figure }}
              onShown={(next) => {
                pivot.value = next
              }}
              onFilter={filterBy}
            />
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
                chosen={chosen}
                question={kept?.asked ?? asked}
                rows={rows}
                columns={columns}
                sort={view.sort}
                onSort={(sort) => change({ sort })}
                onFilter={filterBy}
                selected={selected}
                onOpen={openRow}
                canDrill={({ column, name }) =>
                  isGrouped
                    ? isNumeric(column) && !answer.keys.some(({ flat }) => flat.name === name)
                    : 'behind' in column && reportOf(column.behind?.report ?? '') !== undefined
                }
              />
            </>
          )}
        </div>
        {row !== undefined && !isGrouped && (
          <Panel
            report={report}
            values={values}
            view={view}
            columns={columns}
            rows={rows}
            row={row}
            index={selected.value}
            field={field}
            onOpen={open}
            onClose={close}
          />
        )}
      </div>
      {sheet}
      {saving.value && (
        <SaveDialog
          report={report}
          shown={whole}
          onClose={() => {
            saving.value = false
          }}
          onStored={({ id }) => go(viewUrl(id))}
        />
      )}
    </>
  )
}

/** In the URL of a saved view, says that the URL has the whole view. */
const CHANGED = 'changed'

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
        placeholder="Search"
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
