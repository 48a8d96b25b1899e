/** Loads: their time, actor, rows and warnings. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { counted, labelOf } from '../labels.js'
import { grouped } from '../numbers.js'
import { Icon } from '../parts/icons.js'
import { loadUrl } from '../parts/load-name.js'
import { grouping } from '../preferences.js'
import { session } from '../session.js'
import { DataTable } from './data-table.js'
import { act, Loaded, useFetched, When } from './parts.js'
import { type WarningKind, WarningKinds } from './warning-kinds.js'

export interface Counts {
  readonly new: number
  readonly changed: number
  readonly same: number
  readonly removed: number
}

interface Load {
  readonly version: number
  readonly committed_at: string
  readonly seconds: number
  readonly actor: string
  readonly source: readonly string[]
  readonly rows: number
  readonly entities: Readonly<Record<string, Counts>>
  readonly warnings: number
}

const number = (value: number): string => grouped(String(value), grouping.value)

export function Loads(): JSX.Element {
  const list = useFetched<{ loads: readonly Load[]; more: boolean; undoable: number | null }>('/loads')
  const open = useSignal<number | undefined>(undefined)
  const fold = ({ version }: Load) => (
    <button
      type="button"
      class="link fold"
      aria-expanded={open.value === version}
      onClick={() => {
        open.value = open.value === version ? undefined : version
      }}
    >
      <Icon name={open.value === version ? 'down' : 'right'} /> <span class="in-card">Version </span>
      {version}
    </button>
  )
  return (
    <Loaded of={list}>
      {({ loads, more, undoable }) => (
        <div class="content">
          {loads.length === 0 ? (
            <p class="quiet">
              No load is in the log yet. <a href="/operate/import">Bring in files</a>, or run{' '}
              <code>millbook import DIR</code>.
            </p>
          ) : (
            <DataTable
              caption="Loads"
              rows={loads}
              keyOf={({ version }) => version}
              columns={[
                { title: 'Version', names: true, cell: fold },
                { title: 'When', cell: ({ committed_at }) => <When at={committed_at} /> },
                { title: 'By', cell: ({ actor }) => actor },
                { title: 'Rows', right: true, cell: ({ rows }) => number(rows) },
                { title: 'Seconds', right: true, cell: ({ seconds }) => seconds.toFixed(1) },
                { title: 'Warnings', cell: ({ warnings }) => <WarningCount count={warnings} /> },
                { title: 'Files', cell: ({ source }) => source.join(', ') },
                {
                  title: 'Actions',
                  actions: true,
                  cell: ({ version }) => (
                    <span class="buttons">
                      {version === undoable && (
                        <a class="button small" href={`/operate/import?undo=${version}`}>
                          Take it back
                        </a>
                      )}
                      {session.value?.groups === null && (
                        <a class="button small" href={loadUrl(version)} aria-label={`Rows of version ${version}`}>
                          Rows
                        </a>
                      )}
                    </span>
                  ),
                },
              ]}
              below={(load) =>
                open.value === load.version && (
                  <>
                    <CountsTable entities={load.entities} />
                    {load.warnings > 0 && <Warnings version={load.version} />}
                  </>
                )
              }
            />
          )}
          {more && <p class="quiet">For older loads, run millbook loads.</p>}
        </div>
      )}
    </Loaded>
  )
}

const WarningCount = ({ count }: { count: number }): JSX.Element =>
  count === 0 ? <span class="quiet">none</span> : <span class="word warn">{counted(number(count), 'warning')}</span>

const COUNTS = ['new', 'changed', 'same', 'removed'] as const

export const CountsTable = ({ entities }: { entities: Readonly<Record<string, Counts>> }): JSX.Element => (
  <table class="data counts">
    <caption class="unseen">Rows of each entity</caption>
    <thead>
      <tr>
        <th scope="col">Entity</th>
        {COUNTS.map((name) => (
          <th key={name} scope="col" class="right">
            {labelOf(name)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {Object.entries(entities)
        .map(([entity, counts]) => ({ label: labelOf(entity), counts }))
        .sort((a, b) => a.label.localeCompare(b.label))
        .map(({ label, counts }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {COUNTS.map((name) => (
              <td key={name} class={counts[name] === 0 ? 'right absent' : 'right'}>
                {number(counts[name])}
              </td>
            ))}
          </tr>
        ))}
    </tbody>
  </table>
)

function Warnings({ version }: { version: number }): JSX.Element {
  const found = useSignal<readonly WarningKind[]>([])
  useEffect(() => {
    act<{ warning_kinds: WarningKind[] }>('GET', `/loads/${version}`).then(
      ({ warning_kinds }) => {
        found.value = warning_kinds
      },
      () => {},
    )
  }, [version, found])
  return <WarningKinds kinds={found.value} />
}
