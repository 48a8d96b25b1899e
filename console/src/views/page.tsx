/** The page of a saved view: its report, as the view says; or why it cannot be shown, and what to do. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import { reportOf } from '../catalogue.js'
import { go } from '../location.js'
import { Failed, Nothing } from '../parts/states.js'
import { ReportPage } from '../report/page.js'
import { deleteView, fetchView, type SavedView } from './saved.js'

export function ViewPage({ id }: { id: string }): JSX.Element {
  const saved = useSignal<SavedView | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const load = () => {
    failure.value = undefined
    fetchView(id).then(
      (found) => {
        saved.value = found
        document.title = `${found.name} · Millbook`
      },
      (error) => {
        failure.value = asFailure(error)
      },
    )
  }
  useEffect(load, [id])
  if (failure.value !== undefined) {
    const { status, message } = failure.value
    if (status === 404)
      return (
        <Away title="No such view">
          <p>There is no such view, or it is not shared with you. Ask the person who sent you the link to share it.</p>
        </Away>
      )
    if (status === 403)
      return (
        <Away title="This view is not for you">
          <p>{message}</p>
        </Away>
      )
    return <Failed title="Saved view" failure={failure.value} again={load} />
  }
  const view = saved.value
  if (view === undefined) return <div class="report" aria-busy="true" />
  const report = reportOf(view.report)
  if (report === undefined) return <WithoutReport view={view} />
  return (
    <ReportPage
      report={report}
      saved={view}
      onStored={(stored) => {
        saved.value = stored
        document.title = `${stored.name} · Millbook`
      }}
    />
  )
}

const Away = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <Nothing title={title}>
    {children}
    <a class="button" href="/">
      Overview
    </a>
  </Nothing>
)

/** The catalogue has every report that the user may use. */
function WithoutReport({ view }: { view: SavedView }): JSX.Element {
  return (
    <Nothing title={view.name}>
      <p>
        This view shows the report {view.report}, which this version of the service does not have.{' '}
        {view.mine ? 'Delete the view, or make it anew from another report.' : `Ask ${view.owner} to change it.`}
      </p>
      {view.mine && (
        <button
          type="button"
          class="button danger"
          onClick={() => {
            void deleteView(view.id).then(() => go('/', { replace: true }))
          }}
        >
          Delete the view
        </button>
      )}
    </Nothing>
  )
}
