/** Opens a saved view in Excel or in Power BI: a file with the address of its data, and how to sign in. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { copyText } from '../parts/copy.js'
import { Dialog } from '../parts/dialog.js'
import { saveFrom } from '../parts/files.js'
import { session } from '../session.js'
import type { SavedView } from './saved.js'

export const TOOLS = {
  excel: { name: 'Excel', extension: 'odc' },
  powerBi: { name: 'Power BI', extension: 'pbids' },
} as const
export type Tool = keyof typeof TOOLS

export function OpenInDialog({
  saved,
  tool,
  onClose,
}: {
  saved: SavedView
  tool: Tool
  onClose: () => void
}): JSX.Element {
  const failure = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  const copied = useSignal(false)
  const { name, extension } = TOOLS[tool]
  const url = `${location.origin}/odata/view_${saved.id.replaceAll('-', '_')}`
  const download = async () => {
    busy.value = true
    failure.value = await saveFrom(`/v1/views/${saved.id}.${extension}`, `view.${extension}`)
    busy.value = false
  }
  return (
    <Dialog title={`Open in ${name}`} onClose={onClose}>
      <div class="stack">
        <h2>Open in {name}</h2>
        <p>
          Download the file and open it: {name} reads this view, with its types, and reads it again on every refresh.
          When it asks how to sign in, choose <em>Basic</em>: your name is <strong>{session.value?.username}</strong>,
          and the password is an app password.{' '}
          <a href={`/account?view=${encodeURIComponent(saved.id)}`}>Make an app password</a> for this view; never use
          your own password in a workbook.
        </p>
        <label>
          {tool === 'excel' ? 'Or in Data → Get Data → From OData Feed:' : 'Or in Get data → OData feed:'}
          <input type="text" readOnly value={url} onFocus={({ currentTarget }) => currentTarget.select()} />
        </label>
        <p class="quiet">The file has no password in it. Tableau and other programs read the same address.</p>
        {failure.value !== undefined && (
          <p class="wrong" role="alert">
            {failure.value}
          </p>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Close
          </button>
          <button
            type="button"
            class="button"
            onClick={async () => {
              copied.value = await copyText(url, 'Copied')
            }}
          >
            {copied.value ? 'Copied' : 'Copy the address'}
          </button>
          <button type="button" class="button primary" disabled={busy.value} onClick={() => void download()}>
            Download the file
          </button>
        </div>
      </div>
    </Dialog>
  )
}
