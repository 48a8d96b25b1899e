/** Brings in files: workbooks by a mapping that is proposed and corrected, or files of an import. A load stores all rows or none. */
import '../../../style/bring.css'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { counted } from '../../labels.js'
import { grouped } from '../../numbers.js'
import { grouping } from '../../preferences.js'
import { Files } from './files.js'
import { Outcome, Verdict } from './outcome.js'
import { Sheets } from './sheets.js'
import {
  about,
  beginAnew,
  brought,
  chooseMapping,
  correctText,
  draft,
  isReady,
  kept,
  load,
  name,
  open,
  opening,
  progress,
  proposal,
  refused,
  result,
  stale,
  tryAgain,
} from './store.js'
import { Asked, Undo } from './undo.js'

export function BringIn(): JSX.Element {
  useEffect(() => void open(), [])
  const found = brought.value
  const isLoading = found?.action !== 'try' && found?.action !== 'look' && progress.value !== undefined
  const isLoaded = found?.phase === 'loaded'
  if (about.value?.may.load === false)
    return (
      <div class="content stack">
        <p class="note bad" role="alert">
          The service has no database login that may load data. Ask the operator to start it with{' '}
          <code>--loader-database</code>, or load with <code>millbook pull</code> on the command line.
        </p>
      </div>
    )
  return (
    <div class="content stack bring" aria-busy={opening.value}>
      <Asked />
      {found === undefined && (
        <p class="lead">
          Drop the workbooks that you have: sales registers, item lists, stock books. You see what each column was taken
          for, correct it by menus, and see what would be loaded. Nothing is stored before you press Load.
        </p>
      )}
      {!isLoaded && !opening.value && <Files />}
      {!isLoaded && proposal.value !== undefined && <Choice disabled={isLoading} />}
      {!isLoaded && proposal.value !== undefined && draft.value !== undefined && (
        <Sheets proposal={proposal.value} draft={draft.value} disabled={isLoading} />
      )}
      {!isLoaded && proposal.value !== undefined && <AsText disabled={isLoading} />}
      {refused.value !== undefined && (
        <p class="note bad" role="alert">
          {refused.value}
        </p>
      )}
      {(result.value !== undefined || progress.value !== undefined) && <Bar />}
      {result.value !== undefined && (
        <div class={stale.value ? 'dim' : undefined}>
          <Outcome result={result.value} />
        </div>
      )}
      {isLoaded && (
        <p class="actions">
          {found.action !== 'undo' && <Undo version={result.value?.version ?? 0} />}
          <button type="button" class="button" onClick={() => void beginAnew()}>
            Bring in other files
          </button>
          <a class="button primary" href="/">
            See the overview
          </a>
        </p>
      )}
    </div>
  )
}

/** The mapping that the files are read by. */
function Choice({ disabled }: { disabled: boolean }): JSX.Element | null {
  if (kept.value.length === 0) return null
  return (
    <label class="line">
      Read them by
      <select
        value={brought.value?.named ?? ''}
        disabled={disabled || progress.value !== undefined}
        onChange={({ currentTarget: { value } }) => void chooseMapping(value === '' ? undefined : value)}
      >
        <option value="">a new proposal</option>
        {kept.value.map(({ name, fits }) => (
          <option key={name} value={name}>
            {name}
            {fits ? ' (fits these files)' : ''}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Stays in view: what would happen, and the button for it. */
function Bar(): JSX.Element {
  const found = result.value
  const isLoaded = brought.value?.phase === 'loaded'
  return (
    <div class="bar">
      <p role="status" class="verdict">
        {progress.value !== undefined ? (
          <>
            {progress.value.text} <progress max={1} value={progress.value.done} aria-label={progress.value.text} />
          </>
        ) : stale.value ? (
          'Corrected: trying again'
        ) : (
          found !== undefined && <Verdict result={found} undone={brought.value?.action === 'undo'} />
        )}
      </p>
      {!isLoaded && found !== undefined && (
        <p class="actions">
          {draft.value !== undefined && (
            <label class="line">
              Keep the mapping as
              <input
                type="text"
                maxLength={60}
                value={name.value}
                placeholder="Sales, monthly"
                onInput={({ currentTarget: { value } }) => {
                  name.value = value
                }}
              />
            </label>
          )}
          <button type="button" class="button" disabled={progress.value !== undefined} onClick={() => void tryAgain()}>
            Try
          </button>
          <button type="button" class="button primary" disabled={!isReady.value} onClick={() => void load()}>
            Load{isReady.value && ` ${counted(grouped(String(found.rows), grouping.value), 'row')}`}
          </button>
        </p>
      )}
    </div>
  )
}

/** The mapping as its file has it, for people who know it. */
function AsText({ disabled }: { disabled: boolean }): JSX.Element {
  const text = useSignal<string | undefined>(undefined)
  return (
    <details>
      <summary>Edit the mapping as text</summary>
      <div class="stack">
        <label class="stack">
          <span class="quiet">
            As in <code>mapping.yaml</code> of <code>millbook pull</code>
          </span>
          <textarea
            rows={16}
            spellcheck={false}
            aria-label="The mapping as text"
            disabled={disabled}
            value={text.value ?? brought.value?.mapping ?? ''}
            onInput={({ currentTarget: { value } }) => {
              text.value = value
            }}
          />
        </label>
        <p class="actions">
          <button
            type="button"
            class="button"
            disabled={disabled || text.value === undefined || progress.value !== undefined}
            onClick={async () => {
              if (text.value === undefined) return
              await correctText(text.value)
              text.value = undefined
            }}
          >
            Use this text
          </button>
        </p>
      </div>
    </details>
  )
}
