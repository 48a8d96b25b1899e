/** The page of a load: the rows that it added, changed and removed, before and after. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { allRows, Rows } from '../ask.js'
import { type CatalogueReport, type Row, reportOf, type Values } from '../catalogue.js'
import { clock } from '../dates.js'
import { counted, labelOf } from '../labels.js'
import { filesInWords, loadOf } from '../loads.js'
import { place, setQuery } from '../location.js'
import { grouped } from '../numbers.js'
import { DataTable } from '../operate/data-table.js'
import { act } from '../operate/parts.js'
import { type WarningKind, WarningKinds } from '../operate/warning-kinds.js'
import { Icon } from '../parts/icons.js'
import { loadUrl } from '../parts/load-name.js'
import { Failed, Nothing } from '../parts/states.js'
import { grouping } from '../preferences.js'
import { ChangeWord } from '../report/differences.js'
import { filterText } from '../report/filters.js'
import { newestVersion, session } from '../session.js'
import { Fields, type SentFields } from './fields.js'

/** A row that the load changed, as the service sends it. */
interface Changed {
  readonly entity: string
  readonly key: Readonly<Record<string, unknown>>
  readonly change: 'new' | 'gone' | 'changed'
  readonly fields: SentFields
}

const CHANGES = ['new', 'changed', 'gone'] as const
/** Rows that are shown first, and that each further step adds. */
const STEP = 100

export function LoadPage({ name }: { name: string }): JSX.Element {
  const report = reportOf('history.changes')
  const version = /^[1-9]\d{0,8}$/.test(name) ? Number(name) : undefined
  if (version === undefined)
    return (
      <Nothing title="No such load">
        <p>Loads have numbers from 1. {isOperator() ? 'The list has them all.' : ''}</p>
        <BackToLoads />
      </Nothing>
    )
  return (
    <div class="operate load">
      <Heading version={version} />
      {report === undefined || session.value?.groups !== null ? (
        <Nothing>
          <p>
            The rows of a load are for users who may use all groups of reports. Ask an operator for the groups that you
            lack. What changed in your own reports, each report shows under “What changed”.
          </p>
        </Nothing>
      ) : (
        <>
          {isOperator() && <Warnings key={version} version={version} />}
          <Changes key={version} report={report} version={version} />
        </>
      )}
    </div>
  )
}

const isOperator = (): boolean => ['operator', 'loader'].includes(session.value?.role ?? '')

const BackToLoads = (): JSX.Element =>
  isOperator() ? (
    <a class="button" href="/operate/loads">
      All loads
    </a>
  ) : (
    <a class="button" href="/">
      Overview
    </a>
  )

function Heading({ version }: { version: number }): JSX.Element {
  const load = loadOf(version)
  const about = [
    load && clock(load.loaded_at),
    load?.actor && `by ${load.actor}`,
    load?.source && filesInWords(load.source),
  ]
  const step = (to: number, words: string, icon: 'left' | 'right') =>
    to >= 1 &&
    to <= newestVersion.value && (
      <a class="chip" href={loadUrl(to)} aria-label={`Load ${to}, the ${words}`} title={`Load ${to}`}>
        <Icon name={icon} />
      </a>
    )
  return (
    <header class="title">
      <h1>Load {version}</h1>
      <p class="quiet" title={load?.source?.join(', ')}>
        {about.filter(Boolean).join(' · ')}
      </p>
      <div class="tools">
        {isOperator() && (
          <a class="chip" href="/operate/loads">
            All loads
          </a>
        )}
        {step(version - 1, 'load before', 'left')}
        {step(version + 1, 'load after', 'right')}
      </div>
    </header>
  )
}

/** For those who may load: what the load warned of. */
function Warnings({ version }: { version: number }): JSX.Element | null {
  const kinds = useSignal<readonly WarningKind[]>([])
  useEffect(() => {
    act<{ warning_kinds: WarningKind[] }>('GET', `/loads/${version}`).then(
      ({ warning_kinds }) => {
        kinds.value = warning_kinds
      },
      () => {}, // the log does not have every load
    )
  }, [version])
  const count = kinds.value.reduce((sum, kind) => sum + kind.count, 0)
  if (count === 0) return null
  return (
    <details class="content warned">
      <summary>{counted(number(count), 'warning')}</summary>
      <WarningKinds kinds={kinds.value} />
    </details>
  )
}

interface Counted {
  readonly entity: string
  readonly change: string
  readonly rows: number
}

function Changes({ report, version }: { report: CatalogueReport; version: number }): JSX.Element {
  const { query } = place.value
  const [entity, change, key] = ['entity', 'change', 'key'].map((name) => query.get(name) || undefined)
  const values: Values = {
    ...{ from_version: String(version - 1), to_version: String(version) },
    ...(entity !== undefined && { entity }),
    ...(key !== undefined && { key }),
  }
  const asked = JSON.stringify([values, change])
  const attempt = useSignal(0)
  const filter = change === undefined ? [] : [filterText({ field: 'change', operator: '=', value: change })]
  const rows = useMemo(() => new Rows(report, values, { filter }), [asked, attempt.value])
  const shown = useSignal(STEP)
  useEffect(() => {
    shown.value = STEP
    rows.need(0, 0)
    return () => rows.end()
  }, [rows])
  const counts = useSignal<readonly Counted[]>([])
  useEffect(() => {
    const controller = new AbortController()
    const whole = { from_version: String(version - 1), to_version: String(version) }
    allRows(report, whole, { group: 'entity,change' }, { signal: controller.signal }).then(
      (found) => {
        counts.value = found.rows as unknown as Counted[]
      },
      () => {}, // the lists to choose from then have no numbers
    )
    return () => controller.abort()
  }, [version])
  void rows.revision.value
  const [total, failure] = [rows.total.value, rows.failure.value]
  const found = Array.from({ length: Math.min(total ?? 0, shown.value) }, (_, at) => rows.row(at)).filter(
    (row): row is Row => row !== undefined,
  ) as unknown as Changed[]
  if (failure !== undefined && total === undefined)
    return failure.status === 410 || failure.status === 422 ? (
      <div class="state" role="alert">
        <p>
          {failure.status === 410
            ? `The rows of load ${version} are no longer kept: the service forgets them after some time.`
            : `There is no load ${version} yet; the newest is load ${newestVersion.value}.`}
        </p>
        {failure.status === 410 && isOperator() && <p>The list of loads still has its counts and warnings.</p>}
        <BackToLoads />
      </div>
    ) : (
      <Failed
        failure={failure}
        again={() => {
          attempt.value++
        }}
      />
    )
  const all = counts.value.reduce((sum, { rows }) => sum + rows, 0)
  const isFiltered = entity !== undefined || change !== undefined || key !== undefined
  return (
    <>
      <div class="toolbar">
        <Filters {...{ entity, change, wanted: key, counts: counts.value }} />
      </div>
      <div class="content" aria-busy={total === undefined}>
        <p class="quiet count" role="status">
          {total === undefined ? 'Working…' : counted(number(total), 'row')}
          {total !== undefined && isFiltered && all > total && ` of ${number(all)}`}
          {isFiltered && (
            <>
              {' · '}
              <button
                type="button"
                class="link"
                onClick={() => setQuery({ entity: undefined, change: undefined, key: undefined })}
              >
                Show all
              </button>
            </>
          )}
        </p>
        {total === 0 && (
          <p>
            {isFiltered
              ? `No row that this load changed matches${key === undefined ? '' : `; a key is found whole, as “${key}” stands in the data`}.`
              : 'This load changed no row.'}
          </p>
        )}
        {found.length > 0 && (
          <DataTable
            caption={`Rows that load ${version} changed`}
            rows={found}
            keyOf={({ entity, key }) => `${entity} ${JSON.stringify(key)}`}
            columns={[
              { title: 'Key', names: true, cell: ({ key }) => <KeyInWords of={key} /> },
              { title: 'File', cell: ({ entity }) => labelOf(entity) },
              { title: 'Change', cell: ({ change }) => <ChangeWord change={change} /> },
              { title: 'Before and after', cell: ({ fields, change }) => <Fields {...{ fields, change }} /> },
            ]}
          />
        )}
        {failure !== undefined && (
          <p class="note bad" role="alert">
            {failure.message}{' '}
            <button type="button" class="link" onClick={() => rows.retry()}>
              Try again
            </button>
          </p>
        )}
        {total !== undefined && total > shown.value && (
          <p>
            <button
              type="button"
              class="button"
              onClick={() => {
                rows.need(shown.value, shown.value + STEP - 1)
                shown.value += STEP
              }}
            >
              Show {number(Math.min(STEP, total - shown.value))} more
            </button>
          </p>
        )}
      </div>
    </>
  )
}

const number = (value: number): string => grouped(String(value), grouping.value)

interface FiltersProps {
  entity: string | undefined
  change: string | undefined
  /** The key to find. */
  wanted: string | undefined
  counts: readonly Counted[]
}

/** Only one file, one kind of change, one key. */
function Filters({ entity, change, wanted, counts }: FiltersProps): JSX.Element {
  const sumOf = (isCounted: (one: Counted) => boolean) =>
    counts.filter(isCounted).reduce((sum, { rows }) => sum + rows, 0)
  const option = (value: string, words: string, rows: number) => (
    <option key={value} value={value}>
      {words}
      {counts.length > 0 && ` (${number(rows)})`}
    </option>
  )
  const entities = [...new Set([...counts.map((one) => one.entity), ...(entity === undefined ? [] : [entity])])]
  const isChange = (one: Counted) => change === undefined || one.change === change
  const isEntity = (one: Counted) => entity === undefined || one.entity === entity
  return (
    <form
      class="filters"
      key={wanted}
      onSubmit={(event) => {
        event.preventDefault()
        setQuery({ key: String(new FormData(event.currentTarget).get('key') ?? '').trim() || undefined })
      }}
    >
      <select
        aria-label="File"
        value={entity ?? ''}
        onChange={({ currentTarget }) => setQuery({ entity: currentTarget.value || undefined })}
      >
        {option('', 'All files', sumOf(isChange))}
        {entities
          .sort((a, b) => labelOf(a).localeCompare(labelOf(b)))
          .map((one) =>
            option(
              one,
              labelOf(one),
              sumOf((row) => row.entity === one && isChange(row)),
            ),
          )}
      </select>
      <select
        aria-label="Change"
        value={change ?? ''}
        onChange={({ currentTarget }) => setQuery({ change: currentTarget.value || undefined })}
      >
        {option('', 'All changes', sumOf(isEntity))}
        {CHANGES.map((one) =>
          option(
            one,
            labelOf(one),
            sumOf((row) => row.change === one && isEntity(row)),
          ),
        )}
      </select>
      <input
        type="search"
        name="key"
        class="key"
        aria-label="Find a key: a code or a number, in full"
        placeholder="Code or number, in full"
        maxLength={200}
        defaultValue={wanted}
      />
      <button type="submit" class="button">
        Find
      </button>
    </form>
  )
}

/** `INV/26-27/000001 · line 2` */
const KeyInWords = ({ of }: { of: Readonly<Record<string, unknown>> }): JSX.Element => (
  <>
    {Object.entries(of).map(([name, value], at) => (
      <>
        {at > 0 && ' · '}
        <bdi key={name} title={labelOf(name)}>
          {at > 0 && /_no$/.test(name) && /^\d{1,4}$/.test(String(value)) ? `${labelOf(name).toLowerCase()} ` : ''}
          {value === null || value === '' ? '–' : String(value)}
        </bdi>
      </>
    ))}
    {Object.keys(of).length === 0 && 'the account'}
  </>
)
