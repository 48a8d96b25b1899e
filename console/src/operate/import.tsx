/** An import as a dry run: the files are read, checked and merged as a load would, and nothing is stored. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { asFailure, pause, send } from '../api.js'
import { counted, labelOf } from '../labels.js'
import { grouped } from '../numbers.js'
import { Icon } from '../parts/icons.js'
import { grouping } from '../preferences.js'
import { DataTable } from './data-table.js'
import { type Counts, CountsTable } from './loads.js'
import { type About, ADMIN, act, useFetched } from './parts.js'
import { type WarningKind, WarningKinds } from './warning-kinds.js'

interface Problem {
  readonly file: string
  readonly line: number
  readonly column: string
  readonly value: string | null
  readonly message: string
}

interface Trial {
  readonly id: string
  readonly phase: 'open' | 'waiting' | 'reading' | 'merging' | 'done' | 'failed'
  readonly what: string | null
  readonly done: number
  readonly rows: number
  readonly result: {
    readonly rows: number
    readonly entities: Readonly<Record<string, Counts>>
    readonly errors: { readonly count: number; readonly first: readonly Problem[] }
    readonly warnings: { readonly count: number; readonly kinds: readonly WarningKind[] }
  } | null
  readonly error: string | null
}

/** Bytes of a part; the service accepts a request for 30 seconds. */
const PART = 4 << 20

export function Import(): JSX.Element {
  const about = useFetched<About>('')
  const files = useSignal<readonly File[]>([])
  const progress = useSignal<{ text: string; done: number } | undefined>(undefined)
  const trial = useSignal<Trial | undefined>(undefined)
  const refused = useSignal<string | undefined>(undefined)
  const over = useSignal(false)
  const limits = about.value.value?.limits
  const entities = about.value.value?.entities ?? []
  const strange = files.value.filter(
    ({ name }) => !entities.some((entity) => new RegExp(`^${entity}\\.(csv|jsonl|parquet)$`).test(name)),
  )
  const isUsable = files.value.length > 0 && strange.length === 0 && files.value.every(({ size }) => size > 0)
  const choose = (chosen: FileList | null | undefined) => {
    files.value = [...(chosen ?? [])]
    trial.value = undefined // it was about other files
    refused.value = undefined
  }

  async function run(): Promise<void> {
    trial.value = undefined
    refused.value = undefined
    try {
      const { id } = await act<Trial>('POST', '/imports')
      for (const file of files.value) {
        for (let offset = 0; offset === 0 || offset < file.size; offset += PART) {
          progress.value = { text: `Sending ${file.name}`, done: file.size === 0 ? 1 : offset / file.size }
          await send(`${ADMIN}/imports/${id}/files/${encodeURIComponent(file.name)}?offset=${offset}`, {
            method: 'PUT',
            body: file.slice(offset, offset + PART),
          })
        }
      }
      await act('POST', `/imports/${id}/run`, {})
      for (;;) {
        const found = await act<Trial>('GET', `/imports/${id}`)
        if (found.phase === 'done' || found.phase === 'failed') {
          trial.value = found
          await act('DELETE', `/imports/${id}`).catch(() => {}) // the service removes it after a while anyway
          return
        }
        progress.value = { text: phaseInWords(found), done: found.done }
        await pause(400)
      }
    } catch (error) {
      refused.value = asFailure(error).message
    } finally {
      progress.value = undefined
    }
  }

  return (
    <div class="content stack">
      <p>
        Choose files as for <code>millbook import</code>: one per entity, such as <code>items.csv</code>. They are read,
        checked and merged as in a load, and <strong>nothing is stored</strong>.
        {limits !== undefined &&
          ` At most ${limits.file_bytes >> 20} MB a file, ${limits.all_bytes >> 20} MB together.`}
      </p>
      <label
        class={over.value ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault()
          over.value = true
        }}
        onDragLeave={() => {
          over.value = false
        }}
        onDrop={(event) => {
          event.preventDefault()
          over.value = false
          choose(event.dataTransfer?.files)
        }}
      >
        <Icon name="export" /> Choose files, or drop them here
        <input
          type="file"
          multiple
          accept=".csv,.jsonl,.parquet"
          aria-label="Files to try"
          onChange={({ currentTarget }) => choose(currentTarget.files)}
        />
      </label>
      {files.value.length > 0 && (
        <ul>
          {files.value.map((file) => (
            <li key={file.name}>
              {file.name} <small>{grouped(String(file.size), grouping.value)} bytes</small>
              {strange.includes(file) && <span class="wrong"> is not the name of an entity’s file</span>}
              {file.size === 0 && <span class="wrong"> is empty: it has neither columns nor rows</span>}
            </li>
          ))}
        </ul>
      )}
      <p>
        <button
          type="button"
          class="button primary"
          disabled={!isUsable || progress.value !== undefined}
          onClick={() => void run()}
        >
          Try the import
        </button>
      </p>
      {progress.value !== undefined && (
        <p role="status">
          {progress.value.text} <progress max={1} value={progress.value.done} aria-label={progress.value.text} />
        </p>
      )}
      {refused.value !== undefined && (
        <p class="note bad" role="alert">
          {refused.value}
        </p>
      )}
      {trial.value !== undefined && <Result trial={trial.value} />}
    </div>
  )
}

const phaseInWords = ({ phase, what, rows }: Trial): string =>
  phase === 'waiting'
    ? 'Waiting for a running load'
    : `${phase === 'reading' ? 'Reading' : 'Merging'} ${what ?? ''}, ${counted(grouped(String(rows), grouping.value), 'row')}`

function Result({ trial: { result, error } }: { trial: Trial }): JSX.Element {
  if (result === null)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    )
  const { errors, warnings, entities, rows } = result
  const without = Object.entries(entities)
    .filter(([, counts]) => counts.new + counts.changed + counts.same === 0)
    .map(([name]) => name)
  return (
    <div class="stack" role="status">
      <h2>
        {errors.count > 0 ? (
          <>
            <span class="word bad">{counted(grouped(String(errors.count), grouping.value), 'error')}</span> nothing
            would be loaded
          </>
        ) : rows === 0 ? (
          <>
            <span class="word warn">no rows</span> nothing would be loaded
          </>
        ) : (
          <>
            <span class="word good">no errors</span> {counted(grouped(String(rows), grouping.value), 'row')} would be
            loaded
          </>
        )}
      </h2>
      {errors.count === 0 && without.length > 0 && (
        <p>
          {without.map(labelOf).join(', ')}: the file has columns, but no row below them. Was it saved before its rows
          were there?
        </p>
      )}
      {errors.count > 0 && (
        <DataTable
          caption="Errors"
          rows={errors.first}
          keyOf={({ file, line, column, message }) => `${file} ${line} ${column} ${message}`}
          columns={[
            { title: 'File', names: true, cell: ({ file }) => file },
            { title: 'Line', right: true, cell: ({ line }) => line },
            { title: 'Column', cell: ({ column }) => column },
            { title: 'Value', cell: ({ value }) => value },
            { title: 'Error', cell: ({ message }) => message },
          ]}
        />
      )}
      {errors.count > errors.first.length && (
        <p class="quiet">{`These are the first ${errors.first.length} of ${errors.count}.`}</p>
      )}
      {errors.count === 0 && rows > 0 && <CountsTable entities={entities} />}
      {warnings.count > 0 && (
        <>
          <h3>{counted(grouped(String(warnings.count), grouping.value), 'warning')}</h3>
          <WarningKinds kinds={warnings.kinds} />
        </>
      )}
    </div>
  )
}
