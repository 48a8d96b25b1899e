/** The field that takes files, and the list of files that are there. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { grouped } from '../../numbers.js'
import { Icon } from '../../parts/icons.js'
import { grouping } from '../../preferences.js'
import { about, accepted, addFiles, beginAnew, brought, objectionTo, progress, removeFile } from './store.js'

/** `1,240 KB`, `3.2 MB` */
const size = (bytes: number): string =>
  bytes < 1 << 20
    ? `${grouped(String(Math.max(1, Math.round(bytes / 1024))), grouping.value)} KB`
    : `${(bytes / (1 << 20)).toFixed(1)} MB`

export function Files(): JSX.Element {
  const over = useSignal(false)
  const strange = useSignal<readonly string[]>([])
  const files = brought.value?.files ?? []
  const limits = about.value?.limits
  const isBusy = progress.value !== undefined
  const choose = (chosen: FileList | null | undefined) => {
    const all = [...(chosen ?? [])]
    strange.value = all.flatMap((file) => {
      const objection = objectionTo(file)
      return objection === undefined ? [] : `${file.name} ${objection}`
    })
    const good = all.filter((file) => objectionTo(file) === undefined)
    if (good.length > 0) void addFiles(good)
  }
  return (
    <section class="stack" aria-label="Files">
      <label
        class={`drop${over.value ? ' over' : ''}${files.length > 0 ? ' small' : ''}`}
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
        <span>
          <Icon name="plus" /> {files.length > 0 ? 'Add files' : 'Choose files, or drop them here'}
        </span>
        {files.length === 0 && (
          <small>
            Excel, LibreOffice, CSV, or Tally’s XML
            {limits !== undefined &&
              `; at most ${limits.file_bytes >> 20} MB a file, ${limits.all_bytes >> 20} MB together`}
          </small>
        )}
        <input
          type="file"
          multiple
          disabled={isBusy}
          accept={accepted.value.join()}
          aria-label="Files to bring in"
          onChange={({ currentTarget }) => {
            choose(currentTarget.files)
            currentTarget.value = '' // the same file can be chosen again after it was saved anew
          }}
        />
      </label>
      {strange.value.length > 0 && (
        <ul class="note bad" role="alert">
          {strange.value.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <ul class="files" aria-label="Files that are brought in">
          {files.map(({ name, bytes }) => (
            <li key={name}>
              <Icon name="receipt" />
              <span class="clip" title={name}>
                {name}
              </span>
              <small>{size(bytes)}</small>
              <button
                type="button"
                class="mini plain"
                aria-label={`Remove ${name}`}
                disabled={isBusy}
                onClick={() => void removeFile(name)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
          <li class="plain">
            <button type="button" class="link" onClick={() => void beginAnew()}>
              Begin anew
            </button>
          </li>
        </ul>
      )}
    </section>
  )
}
