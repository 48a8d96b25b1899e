/** Downloads of the whole view in every format, and its request as code. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { requestOf, type View } from '../ask.js'
import { type CatalogueFormat, type CatalogueReport, catalogue, type Values } from '../catalogue.js'
import { counted } from '../labels.js'
import { grouped } from '../numbers.js'
import { copyText } from '../parts/copy.js'
import { Dialog } from '../parts/dialog.js'
import { saveFile } from '../parts/files.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { grouping } from '../preferences.js'
import { answerOf, listOf } from './answer.js'
import { snippetsOf } from './snippets.js'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  total: number | undefined
  /** Average bytes of a record as JSON, from the records on the screen. */
  bytesPerRow: number
  onPrint: () => Promise<void>
  /** Undefined if the records are no documents. */
  onPrintDocuments: (() => Promise<void>) | undefined
}

function size(bytes: number): string {
  if (bytes < 1e6) return `about ${Math.max(1, Math.round(bytes / 1000))} KB`
  return `about ${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}

interface Offer {
  format: string
  label: string
  share: number
  options: Readonly<Record<string, string>>
}

/** A format whose files have documents only by default is offered a second time, with their lines. */
function filesOf(report: CatalogueReport, values: Values, view: View): Offer[] {
  const chosen = listOf(view.fields)
  const hasLines = answerOf(report, values, view).columns.some(
    ({ column, name }) =>
      column.kind === 'lines' && (chosen.length === 0 || chosen.includes(name) || chosen.includes('all')),
  )
  return (catalogue.value?.formats ?? []).flatMap(({ name, label, share, lines }: CatalogueFormat): Offer[] => {
    const whole = { format: name, label, share, options: {} }
    if (!hasLines || lines !== 'no' || view.against !== undefined) return [whole]
    return [
      { ...whole, label: `${label} of documents` },
      { ...whole, label: `${label} of lines`, options: { lines: 'yes' } },
    ]
  })
}

export function ExportMenu({
  report,
  values,
  view,
  total,
  bytesPerRow,
  onPrint,
  onPrintDocuments,
}: Props): JSX.Element {
  const busy = useSignal<string | undefined>(undefined)
  const failure = useSignal<string | undefined>(undefined)
  const files = filesOf(report, values, view)
  const rows = grouped(String(total ?? 0), grouping.value)

  async function download({ format, options, label }: Offer, close: () => void): Promise<void> {
    close()
    busy.value = label
    failure.value = undefined
    failure.value = await saveFile(report, values, view, { format, ...options })
    busy.value = undefined
  }

  return (
    <>
      <Menu
        end
        class="chip"
        title="Export: download or print what you see"
        disabled={total === undefined}
        label={
          <>
            <Icon name="export" />
            {busy.value === undefined ? <span class="word-of">Export</span> : `Preparing ${busy.value}…`}
            <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <div class="items">
            <p class="about">
              {view.against === undefined ? (
                <>
                  {counted(rows, view.group === undefined ? 'row' : 'group')}, as filtered and sorted here, with{' '}
                  {view.fields === undefined ? 'all columns' : 'the chosen columns'}, of one version of the data.
                </>
              ) : (
                `What changed: a line for each changed field of ${counted(rows, 'row')}, before and after.`
              )}
            </p>
            {files.map((file) => (
              <button
                key={file.label}
                type="button"
                class="item"
                disabled={busy.value !== undefined}
                onClick={() => download(file, close)}
              >
                <span>{file.label}</span>
                <span class="quiet">{size((total ?? 0) * bytesPerRow * file.share)}</span>
              </button>
            ))}
            <button
              type="button"
              class="item"
              onClick={() => {
                close()
                void onPrint()
              }}
            >
              <span>Print</span>
              <span class="quiet">the columns shown</span>
            </button>
            {onPrintDocuments !== undefined && (
              <button
                type="button"
                class="item"
                onClick={() => {
                  close()
                  void onPrintDocuments()
                }}
              >
                <span>Print documents</span>
                <span class="quiet">each with its lines</span>
              </button>
            )}
          </div>
        )}
      </Menu>
      {failure.value !== undefined && (
        <Dialog
          title="Export"
          onClose={() => {
            failure.value = undefined
          }}
        >
          <h2>The export failed</h2>
          <p role="alert">{failure.value}</p>
          <div class="actions">
            <button
              type="button"
              class="button primary"
              onClick={() => {
                failure.value = undefined
              }}
            >
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

export function CodeButton({ report, values, view }: Pick<Props, 'report' | 'values' | 'view'>): JSX.Element {
  const open = useSignal(false)
  const chosen = useSignal(0)
  const copied = useSignal(false)
  const snippets = open.value ? snippetsOf(requestOf(report, values, view), location.origin) : []
  const snippet = snippets[chosen.value]
  return (
    <>
      <button
        type="button"
        class="chip for-code"
        aria-label="Show the request as code"
        aria-haspopup="dialog"
        aria-expanded={open.value}
        title="The request as code"
        onClick={() => {
          open.value = true
        }}
      >
        <Icon name="code" />
      </button>
      {open.value && (
        <Dialog
          title="The request as code"
          class="wide"
          onClose={() => {
            open.value = false
          }}
        >
          <h2>This view as a request</h2>
          <div class="tabs" role="tablist">
            {snippets.map(({ name }, at) => (
              <button
                key={name}
                type="button"
                role="tab"
                aria-selected={at === chosen.value}
                onClick={() => {
                  chosen.value = at
                  copied.value = false
                }}
              >
                {name}
              </button>
            ))}
          </div>
          <pre class="code" role="tabpanel" aria-label={snippet?.name} tabIndex={0}>
            {snippet?.text}
          </pre>
          <p class="quiet">
            A token comes from <code>POST /oauth2/token</code>: see the <a href="/docs">API reference</a>. It is never
            part of a URL.
          </p>
          <div class="actions">
            <button
              type="button"
              class="button"
              onClick={() => {
                open.value = false
              }}
            >
              Close
            </button>
            <button
              type="button"
              class="button primary"
              onClick={async () => {
                copied.value = await copyText(snippet?.text ?? '', 'Copied')
              }}
            >
              {copied.value ? 'Copied' : 'Copy'}
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
