/** The heading of a saved view: its name, its changes, and what its owner can do with it. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { asFailure } from '../api.js'
import { type View, viewParams } from '../ask.js'
import { type CatalogueReport, catalogue, tableFormat } from '../catalogue.js'
import { go } from '../location.js'
import { copyText } from '../parts/copy.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { knownInWords, pastOf } from '../report/known-words.js'
import type { ReportView } from '../report/view.js'
import { session } from '../session.js'
import { OpenInDialog, TOOLS } from './open-in.js'
import { SaveDialog } from './save-dialog.js'
import {
  definitionOf,
  deleteView,
  periodWord,
  type SavedView,
  sharedInWords,
  shownOf,
  storeView,
  viewUrl,
} from './saved.js'

interface Props {
  report: CatalogueReport
  saved: SavedView
  shown: Pick<ReportView, 'values' | 'view' | 'show' | 'figure'>
  isChanged: boolean
  onStored: (stored: SavedView) => void
  /** Buttons of every report. */
  tools: JSX.Element
}

export function ViewHeading({ report, saved, shown, isChanged, onStored, tools }: Props): JSX.Element {
  const dialog = useSignal<'name' | 'new' | 'link' | 'excel' | 'powerBi' | 'delete' | undefined>(undefined)
  const failure = useSignal<string | undefined>(undefined)
  const close = () => {
    dialog.value = undefined
  }
  const original = shownOf(report, saved)
  const hasSameDates = ['from_date', 'to_date', 'date'].every((name) => original.values[name] === shown.values[name])
  const save = async () => {
    failure.value = undefined
    // Other dates keep moving with the calendar only if a word fits them.
    const period =
      saved.period === undefined || hasSameDates
        ? saved.period
        : periodWord(report, shown.values, shown.view.compare)?.word
    try {
      onStored(
        await storeView(definitionOf(report, shown, { name: saved.name, shared: saved.shared, period }), saved.id),
      )
      go(viewUrl(saved.id), { replace: true })
    } catch (error) {
      failure.value = asFailure(error).message
    }
  }
  const item = (text: string, next: typeof dialog.value, closeMenu: () => void) => (
    <button
      type="button"
      class="item"
      onClick={() => {
        closeMenu()
        dialog.value = next
      }}
    >
      {text}
    </button>
  )
  return (
    <header class="title view-title">
      <h1>{saved.name}</h1>
      <p class="quiet clip">
        <a href={`/reports/${report.id}`}>{report.title}</a> · {sharedInWords(saved.shared)}
        {!saved.mine && ` by ${saved.owner}`}
      </p>
      <div class="view-tools">
        {isChanged && (
          <>
            <span class="word warn" role="status">
              changed: save or save as new
            </span>
            {saved.mine && (
              <button type="button" class="button primary small" onClick={() => void save()}>
                Save
              </button>
            )}
            <button
              type="button"
              class="button small"
              onClick={() => {
                dialog.value = 'new'
              }}
            >
              Save as new
            </button>
            <button type="button" class="button small" onClick={() => go(viewUrl(saved.id))}>
              Undo changes
            </button>
          </>
        )}
        {tools}
        <Menu
          end
          class="chip"
          label={
            <>
              <Icon name="save" /> <span class="word-of">View</span> <Icon name="down" />
            </>
          }
          title="This saved view"
        >
          {(closeMenu) => (
            <div class="items">
              {saved.mine && item('Rename or share…', 'name', closeMenu)}
              {item(`Open in ${TOOLS.excel.name}…`, 'excel', closeMenu)}
              {item(`Open in ${TOOLS.powerBi.name}…`, 'powerBi', closeMenu)}
              {item('Link for Excel and other tools…', 'link', closeMenu)}
              {!isChanged && item('Save a copy…', 'new', closeMenu)}
              {(saved.mine || session.value?.role === 'operator') && item('Delete…', 'delete', closeMenu)}
            </div>
          )}
        </Menu>
      </div>
      {failure.value !== undefined && (
        <p class="note bad" role="alert">
          The view could not be saved: {failure.value}
        </p>
      )}
      {dialog.value === 'name' && (
        <SaveDialog
          report={report}
          shown={original}
          saved={saved}
          onClose={close}
          onStored={(stored) => {
            close()
            onStored(stored)
          }}
        />
      )}
      {dialog.value === 'new' && (
        <SaveDialog
          report={report}
          shown={shown}
          name={`${saved.name} (copy)`}
          onClose={close}
          onStored={({ id }) => go(viewUrl(id))}
        />
      )}
      {dialog.value === 'link' && <LinkDialog saved={saved} view={shown.view} onClose={close} />}
      {(dialog.value === 'excel' || dialog.value === 'powerBi') && (
        <OpenInDialog saved={saved} tool={dialog.value} onClose={close} />
      )}
      {dialog.value === 'delete' && <DeleteDialog saved={saved} onClose={close} />}
    </header>
  )
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** The address of a view's data for programs that sign in by themselves. */
function LinkDialog({ saved, view, onClose }: { saved: SavedView; view: View; onClose: () => void }): JSX.Element {
  const format = useSignal(tableFormat())
  const copied = useSignal(false)
  const params = new URLSearchParams([['format', format.value], ...viewParams(pastOf(view))])
  const url = `${location.origin}/v1/views/${saved.id}/data?${params}`
  return (
    <Dialog title="Link for other tools" onClose={onClose}>
      <div class="stack">
        <h2>Link for Excel and other tools</h2>
        <label>
          Format
          <select
            value={format.value}
            onChange={({ currentTarget }) => {
              format.value = currentTarget.value
              copied.value = false
            }}
          >
            {(catalogue.value?.formats ?? []).map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Link
          <input type="text" readOnly value={url} onFocus={({ currentTarget }) => currentTarget.select()} />
        </label>
        <p>
          In Excel, choose <em>Data → From Web</em>, paste the link, and sign in as <em>Basic</em>: your name is{' '}
          <strong>{session.value?.username}</strong>, and the password is an app password.{' '}
          <a href={`/account?view=${encodeURIComponent(saved.id)}`}>Make an app password</a> for this view; never use
          your own password in a workbook.
        </p>
        <p class="quiet">
          {view.as_known === undefined
            ? 'The link gives the data of the day on which it is read.'
            : `The link gives the data ${lowerFirst(knownInWords(view.as_known))}.`}{' '}
          It has no password in it.
        </p>
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
          <button
            type="button"
            class="button primary"
            onClick={async () => {
              copied.value = await copyText(url, 'Copied')
            }}
          >
            {copied.value ? 'Copied' : 'Copy the link'}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function DeleteDialog({ saved, onClose }: { saved: SavedView; onClose: () => void }): JSX.Element {
  const failure = useSignal<string | undefined>(undefined)
  const remove = async () => {
    try {
      await deleteView(saved.id)
      go(`/reports/${saved.report}`, { replace: true })
    } catch (error) {
      failure.value = asFailure(error).message
    }
  }
  return (
    <Dialog title="Delete the view" onClose={onClose}>
      <div class="stack">
        <h2>Delete “{saved.name}”?</h2>
        <p>
          Workbooks, deliveries and links that use it stop getting data
          {saved.shared === 'nobody' ? '' : `, and it is gone for everyone it is ${sharedInWords(saved.shared)}`}. The
          report and its data stay. This cannot be undone.
        </p>
        {failure.value !== undefined && (
          <p class="wrong" role="alert">
            {failure.value}
          </p>
        )}
        <div class="actions">
          <button type="button" class="button" autoFocus onClick={onClose}>
            Keep it
          </button>
          <button type="button" class="button danger" onClick={() => void remove()}>
            Delete the view
          </button>
        </div>
      </div>
    </Dialog>
  )
}
