/** The page of closed periods: the figures with which each was reported, and what they are now. Operators close and reopen them here. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import { allRows } from '../ask.js'
import { type CatalogueReport, type Row, reportOf } from '../catalogue.js'
import { account } from '../company.js'
import { inWords, today } from '../dates.js'
import { labelOf } from '../labels.js'
import { fetchLoads, type KeptLoad } from '../loads.js'
import { DataTable } from '../operate/data-table.js'
import { Actions, act, FormDialog } from '../operate/parts.js'
import { Num } from '../parts/cell.js'
import { LoadName } from '../parts/load-name.js'
import { Failed, Nothing } from '../parts/states.js'
import { currencySign, leastDigits } from '../people.js'
import { loadInWords } from '../report/known-words.js'
import { reportUrl } from '../report/view.js'
import { newestVersion, session } from '../session.js'
import { daysOf, FIGURES, type FigureName, monthsBefore, periodInWords, whyUrl } from './periods.js'
import { CLOSED } from './report.js'

interface Closed {
  readonly period: string
  readonly version: number
  readonly closed_at: string
  readonly closed_by: string
  readonly reason: string
  figure(name: FigureName, part: 'then' | 'now' | 'difference'): string
}

const closedOf = (row: Row): Closed => ({
  ...{ period: String(row['period']), version: Number(row['version']), closed_at: String(row['closed_at']) },
  ...{ closed_by: String(row['closed_by']), reason: String(row['reason']) },
  figure: (name, part) => String(row[`${name}_${part}`]),
})

const isChanged = (period: Closed, name: FigureName): boolean => /[1-9]/.test(period.figure(name, 'difference'))

export function ClosedPage(): JSX.Element {
  const report = reportOf(CLOSED)
  if (report === undefined || session.value?.groups !== null)
    return (
      <Nothing title="Closed periods">
        <p>
          Closed periods have figures of stock, sales and purchases: they are for users who may use all groups of
          reports. Ask an operator for the groups that you lack.
        </p>
        <a class="button" href="/">
          Overview
        </a>
      </Nothing>
    )
  return <ClosedPeriods report={report} />
}

function ClosedPeriods({ report }: { report: CatalogueReport }): JSX.Element {
  const found = useSignal<readonly Closed[] | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const attempt = useSignal(0)
  const closing = useSignal(false)
  const reopening = useSignal<Closed | undefined>(undefined)
  const mayClose = session.value?.role === 'operator'
  const again = () => {
    closing.value = false
    reopening.value = undefined
    attempt.value++
  }
  useEffect(() => {
    const controller = new AbortController()
    allRows(report, {}, {}, { signal: controller.signal }).then(
      ({ rows }) => {
        failure.value = undefined
        found.value = rows.map(closedOf).sort((a, b) => (daysOf(a.period).to < daysOf(b.period).to ? 1 : -1))
      },
      (error) => {
        if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
      },
    )
    return () => controller.abort()
  }, [attempt.value, newestVersion.value])
  const periods = found.value
  const sign = currencySign(account.value?.currency)
  return (
    <div class="operate closed">
      <header class="title">
        <h1>Closed periods</h1>
        <p class="quiet clip">What each period was when it was reported, and what it is now</p>
        <div class="tools">
          <a class="chip" href={reportUrl(CLOSED)}>
            Open as a report
          </a>
          {mayClose && (
            <button
              type="button"
              class="button primary small"
              aria-haspopup="dialog"
              onClick={() => {
                closing.value = true
              }}
            >
              Close a period
            </button>
          )}
        </div>
      </header>
      <div class="content" aria-busy={periods === undefined && failure.value === undefined}>
        {failure.value !== undefined && <Failed failure={failure.value} again={again} />}
        {periods?.length === 0 && (
          <p class="quiet">
            No period is closed. When you have reported a month, close it: its figures are kept with the load that they
            came from, and a load that changes them warns.{!mayClose && ' Operators close periods.'}
          </p>
        )}
        {periods !== undefined && periods.length > 0 && (
          <DataTable
            caption="Closed periods"
            rows={periods}
            keyOf={({ period }) => period}
            columns={[
              { title: 'Period', names: true, cell: (one) => <Period of={one} /> },
              ...FIGURES.map((name) => ({
                title: `${labelOf(name)}${sign === undefined ? '' : ` ${sign}`}`,
                right: true,
                cell: (one: Closed) => <Figure of={one} name={name} />,
              })),
              { title: 'Closed', cell: (one) => <ClosedBy of={one} /> },
              ...(mayClose
                ? [
                    {
                      title: 'Actions',
                      actions: true,
                      cell: (one: Closed) => (
                        <Actions
                          of={periodInWords(one.period)}
                          choices={[
                            {
                              text: 'Reopen…',
                              danger: true,
                              act: () => {
                                reopening.value = one
                              },
                            },
                          ]}
                        />
                      ),
                    },
                  ]
                : []),
            ]}
          />
        )}
      </div>
      {closing.value && (
        <CloseDialog
          closed={periods ?? []}
          onDone={again}
          onClose={() => {
            closing.value = false
          }}
        />
      )}
      {reopening.value !== undefined && (
        <ReopenDialog
          of={reopening.value}
          onDone={again}
          onClose={() => {
            reopening.value = undefined
          }}
        />
      )}
    </div>
  )
}

const Period = ({ of }: { of: Closed }): JSX.Element => {
  const changed = FIGURES.filter((name) => isChanged(of, name)).length
  return (
    <>
      {periodInWords(of.period)}{' '}
      {changed === 0 ? <span class="word good">as reported</span> : <span class="word warn">differs</span>}
    </>
  )
}

/** The figure now; if it differs, also what it was, by how much it differs, and the way to the reason. */
function Figure({ of, name }: { of: Closed; name: FigureName }): JSX.Element {
  const least = leastDigits({ currency: 'account' })
  if (!isChanged(of, name)) return <Num text={of.figure(name, 'now')} least={least} />
  const words = `${labelOf(name)} of ${periodInWords(of.period)}`
  return (
    <span class="compared">
      <span class="both">
        <del>
          <Num text={of.figure(name, 'then')} least={least} />
        </del>
        <span class="unseen"> when it was closed, now </span>
        <ins>
          <Num text={of.figure(name, 'now')} least={least} />
        </ins>
      </span>
      <a href={whyUrl(name, of.period, of.version)} aria-label={`Why did the ${words.toLowerCase()} change?`}>
        <Num text={of.figure(name, 'difference')} least={least} better="neutral" /> why?
      </a>
    </span>
  )
}

const ClosedBy = ({ of: { version, closed_at, closed_by, reason } }: { of: Closed }): JSX.Element => (
  <div>
    {inWords(closed_at.slice(0, 10))} by {closed_by}: <bdi>{reason}</bdi>
    <small>
      with <LoadName version={version} isShort />
    </small>
  </div>
)

/** Months that the list of the form begins with. */
const MONTHS = 24
const OTHER = 'other'

function CloseDialog({
  closed,
  onDone,
  onClose,
}: {
  closed: readonly Closed[]
  onDone: () => void
  onClose: () => void
}): JSX.Element {
  const now = today()
  const isClosed = (month: string) => closed.some(({ period }) => period === month)
  const months = monthsBefore(now, MONTHS).filter((month) => !isClosed(month))
  const chosen = useSignal(months[0] ?? OTHER)
  const loads = useSignal<readonly KeptLoad[]>([])
  useEffect(() => {
    fetchLoads(newestVersion.peek(), 50).then(
      (found) => {
        loads.value = found.loads
      },
      () => {}, // the present load can be chosen all the same
    )
  }, [])
  const submit = async (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? '')
    const period = chosen.value === OTHER ? `${text('from')}..${text('to')}` : chosen.value
    const version = text('version')
    await act('POST', '/closed-periods', {
      ...{ period, reason: text('reason') },
      ...(version !== '' && { as_known: Number(version) }),
    })
    onDone()
  }
  return (
    <FormDialog title="Close a period" button="Close it" submit={submit} onClose={onClose}>
      <label>
        Period
        <select
          value={chosen.value}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value
          }}
        >
          {months.map((month) => (
            <option key={month} value={month}>
              {periodInWords(month)}
            </option>
          ))}
          <option value={OTHER}>Other days…</option>
        </select>
      </label>
      {chosen.value === OTHER && (
        <div class="pair">
          <label>
            First day
            <input type="date" name="from" required max={now} />
          </label>
          <label>
            Last day
            <input type="date" name="to" required max={now} />
          </label>
        </div>
      )}
      <label>
        As reported with
        <select name="version">
          <option value="">the present data, {loadInWords(newestVersion.value)}</option>
          {loads.value.map(({ version }) => (
            <option key={version} value={version}>
              {loadInWords(version)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Reason
        <input type="text" name="reason" required maxLength={500} placeholder="Reported to the bank" />
      </label>
      <p class="quiet">
        The figures of the period are kept with this load, which is never forgotten. A later load that changes them
        warns. The audit trail has the reason.
      </p>
    </FormDialog>
  )
}

const ReopenDialog = ({
  of,
  onDone,
  onClose,
}: {
  of: Closed
  onDone: () => void
  onClose: () => void
}): JSX.Element => (
  <FormDialog
    title={`Reopen ${periodInWords(of.period)}`}
    button="Reopen it"
    danger
    submit={async (form) => {
      await act('POST', `/closed-periods/${encodeURIComponent(of.period)}/reopen`, {
        reason: String(form.get('reason') ?? ''),
      })
      onDone()
    }}
    onClose={onClose}
  >
    <p>
      What was reported is no longer compared with the present, and load {of.version} may be forgotten like any other.
      You can close the period again, with this load as long as it is kept.
    </p>
    <label>
      Reason
      <input type="text" name="reason" required maxLength={500} />
    </label>
  </FormDialog>
)
