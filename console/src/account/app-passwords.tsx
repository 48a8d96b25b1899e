/** The reader's app passwords: a list, a form for a new one, and their end. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Failure, getJson } from '../api.js'
import { catalogue, reportOf, tableFormat } from '../catalogue.js'
import { go, place } from '../location.js'
import { DataTable } from '../operate/data-table.js'
import { type Fetched, FormDialog, Loaded, type Secret, SecretDialog, useAnswer, When } from '../operate/parts.js'
import { copyText } from '../parts/copy.js'
import { Icon } from '../parts/icons.js'
import { readView } from '../report/view.js'
import { session } from '../session.js'

const PATH = '/v1/app-passwords'

interface AppPassword {
  readonly id: string
  readonly name: string
  readonly views: readonly string[] | null
  readonly reports: readonly string[] | null
  readonly created_at: string
  readonly last_used_at: string | null
}

export interface Passwords {
  readonly data: readonly AppPassword[]
}

interface SavedView {
  readonly id: string
  readonly name: string
}

interface Views {
  readonly data: readonly SavedView[]
}

export function AppPasswords({ list }: { list: Fetched<Passwords> }): JSX.Element {
  const views = useAnswer<Views>('/v1/views')
  // A saved view leads here for an app password that reads this view only.
  const asked = place.value.query.get('view')
  const making = useSignal(asked !== null)
  const ending = useSignal<AppPassword | undefined>(undefined)
  const secret = useSignal<Secret | undefined>(undefined)
  const saved = views.value.value?.data ?? []
  const stopMaking = () => {
    making.value = false
    if (asked !== null) go('/account', { replace: true })
  }
  const reads = ({ views, reports }: AppPassword): string => {
    if (views === null && reports === null) return 'all that you may read'
    const names = [
      ...(reports ?? []).map((id) => reportOf(id)?.title ?? id),
      ...(views ?? []).map((id) => saved.find((view) => view.id === id)?.name ?? id),
    ]
    return names.join(', ')
  }
  return (
    <section aria-labelledby="app-passwords">
      <h2 id="app-passwords">App passwords</h2>
      <p>
        With an app password, a workbook, a BI tool or a script reads reports in your name, without your own password.
        It reads only, and you can end it at any time.
      </p>
      <Loaded of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">You have none.</p>
          ) : (
            <DataTable
              caption="App passwords"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { title: 'Name', names: true, cell: ({ name }) => <bdi>{name}</bdi> },
                { title: 'Reads', cell: (one) => <bdi>{reads(one)}</bdi> },
                { title: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
                { title: 'Last used', cell: ({ last_used_at }) => <When at={last_used_at} /> },
                {
                  title: 'Actions',
                  actions: true,
                  cell: (one) => (
                    <button
                      type="button"
                      class="link"
                      aria-label={`End the app password ${one.name}`}
                      onClick={() => {
                        ending.value = one
                      }}
                    >
                      End…
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <p>
        <button
          type="button"
          class="button"
          onClick={() => {
            making.value = true
          }}
        >
          <Icon name="plus" /> New app password
        </button>
      </p>
      {making.value && (asked === null || views.value.value !== undefined) && (
        <NewAppPassword
          views={saved}
          view={saved.find(({ id }) => id === asked)}
          onClose={stopMaking}
          onDone={(made) => {
            stopMaking()
            secret.value = made
            list.again()
          }}
        />
      )}
      {ending.value !== undefined && (
        <FormDialog
          title={`End the app password ${ending.value.name}`}
          button="End it"
          danger
          onClose={() => {
            ending.value = undefined
          }}
          submit={async () => {
            await getJson(`${PATH}/${encodeURIComponent(ending.value?.id ?? '')}`, { method: 'DELETE' })
            ending.value = undefined
            list.again()
          }}
        >
          <p>Workbooks and programs that use it get no more data at once. This cannot be undone.</p>
        </FormDialog>
      )}
      {secret.value !== undefined && (
        <SecretDialog
          secret={secret.value}
          onClose={() => {
            secret.value = undefined
          }}
        />
      )}
    </section>
  )
}

type Reads = 'all' | 'reports' | 'views'

function NewAppPassword({
  views,
  view,
  onClose,
  onDone,
}: {
  views: readonly SavedView[]
  /** The view that it is for. */
  view: SavedView | undefined
  onClose: () => void
  onDone: (secret: Secret) => void
}): JSX.Element {
  const reads = useSignal<Reads | undefined>(view && 'views')
  const choice = (value: Reads, text: string) => (
    <label class="check">
      <input
        type="radio"
        name="reads"
        required
        checked={reads.value === value}
        onChange={() => {
          reads.value = value
        }}
      />
      {text}
    </label>
  )
  const offered =
    reads.value === 'reports'
      ? (catalogue.value?.data ?? []).map(({ id, title }) => [id, title] as const)
      : views.map(({ id, name }) => [id, name] as const)
  return (
    <FormDialog
      title="New app password"
      button="Make it"
      onClose={onClose}
      submit={async (form) => {
        const name = String(form.get('name'))
        const ids = form.getAll('ids').map(String)
        if (reads.value !== 'all' && ids.length === 0)
          throw new Failure(`Nothing is ticked: tick at least one of the ${reads.value}.`, 0)
        const limits = reads.value === 'all' ? {} : { [reads.value as Reads]: ids }
        const made = await getJson<{ app_password: string }>(PATH, { method: 'POST', body: { name, ...limits } })
        onDone({
          title: `The app password ${name}`,
          lines: [
            ['username', session.value?.username ?? ''],
            ['app password', made.app_password],
          ],
          about: <HowTo link={linkOf(reads.value, ids)} />,
        })
      }}
    >
      <label>
        Name: what it is for
        <input
          name="name"
          required
          maxLength={100}
          placeholder="Stock workbook"
          autocomplete="off"
          defaultValue={view?.name.slice(0, 100) ?? ''}
        />
      </label>
      <fieldset class="stack groups">
        <legend>What it may read</legend>
        {choice('all', 'All that you may read')}
        {choice('reports', 'Only these reports')}
        {views.length > 0 && choice('views', 'Only these saved views')}
        {reads.value !== undefined && reads.value !== 'all' && (
          <div class="ticks scroll" key={reads.value}>
            {offered.map(([id, name]) => (
              <label key={id} class="check">
                <input type="checkbox" name="ids" value={id} defaultChecked={id === view?.id} />
                <bdi>{name}</bdi>
              </label>
            ))}
          </div>
        )}
      </fieldset>
    </FormDialog>
  )
}

/** A link with the data of what the app password may read, as a table. */
function linkOf(reads: Reads | undefined, [id = '']: readonly string[]): string | undefined {
  if (reads === 'views') return `${location.origin}/v1/views/${encodeURIComponent(id)}/data?format=${tableFormat()}`
  const report = reportOf(reads === 'reports' ? id : 'inventory.fg-stock-status') ?? catalogue.value?.data[0]
  if (report === undefined) return undefined
  const { values } = readView(report, new URLSearchParams())
  return `${location.origin}${report.path}?${new URLSearchParams({ ...values, format: tableFormat() })}`
}

const HowTo = ({ link }: { link: string | undefined }): JSX.Element => (
  <details open>
    <summary>How to use it in Excel</summary>
    <ol class="steps">
      <li>Data → Get Data → From Other Sources → From Web.</li>
      {link !== undefined && (
        <li>
          Paste a link, such as{' '}
          <button type="button" class="link" title={link} onClick={() => void copyText(link, 'Link copied')}>
            this one <Icon name="copy" />
          </button>
          , which has the data as a table.
        </li>
      )}
      <li>
        Excel asks how to sign in: choose <strong>Basic</strong>, and type the username and the app password. It keeps
        both for the next refresh.
      </li>
    </ol>
    <p class="quiet">Other programs send both by HTTP Basic, or the app password alone as a bearer token.</p>
  </details>
)
