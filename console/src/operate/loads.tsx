/** Loads: what was loaded when, by whom, and what it warned of. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { counted, labelOf } from '../labels.js'
import { grouped } from '../numbers.js'
import { Icon } from '../parts/icons.js'
import { grouping } from '../preferences.js'
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
  const list = useFetched<{ loads: readonly Load[]; more: boolean }>('/loads')
  const open = useSignal<number | undefined>(undefined)
  return (
    <Loaded of={list}>
      {({ loads, more }) => (
        <div class="scroll">
          {loads.length === 0 && (
            <p class="quiet">
              No load is in the log yet: <code>millbook import DIR</code> loads files.
            </p>
          )}
          <table class="data">
            <thead>
              <tr>
                <th scope="col" class="right">
                  Version
                </th>
                <th scope="col">When</th>
                <th scope="col">By</th>
                <th scope="col" class="right">
                  Rows
                </th>
                <th scope="col" class="right">
                  Seconds
                </th>
                <th scope="col">Warnings</th>
                <th scope="col">Files</th>
              </tr>
            </thead>
            <tbody>
              {loads.map((load) => (
                <>
                  <tr key={load.version}>
                    <td class="right">
                      <button
                        type="button"
                        class="link"
                        aria-expanded={open.value === load.version}
                        onClick={() => {
                          open.value = open.value === load.version ? undefined : load.version
                        }}
                      >
                        <Icon name={open.value === load.version ? 'down' : 'right'} /> {load.version}
                      </button>
                    </td>
                    <td>
                      <When at={load.committed_at} />
                    </td>
                    <td>{load.actor}</td>
                    <td class="right">{number(load.rows)}</td>
                    <td class="right">{load.seconds.toFixed(1)}</td>
                    <td>
                      {load.warnings === 0 ? (
                        <span class="quiet">none</span>
                      ) : (
                        <span class="word warn">{counted(number(load.warnings), 'warning')}</span>
                      )}
                    </td>
                    <td class="wrap">{load.source.join(', ')}</td>
                  </tr>
                  {open.value === load.version && (
                    <tr key={`${load.version} more`}>
                      <td colSpan={7}>
                        <CountsTable entities={load.entities} />
                        {load.warnings > 0 && <Warnings version={load.version} />}
                      </td>
                    </tr>
                  )}
                </>
              ))}
            </tbody>
          </table>
          {more && <p class="quiet">Older ones: millbook loads.</p>}
        </div>
      )}
    </Loaded>
  )
}

export const CountsTable = ({ entities }: { entities: Readonly<Record<string, Counts>> }): JSX.Element => (
  <table class="data counts">
    <thead>
      <tr>
        <th scope="col">Entity</th>
        {['New', 'Changed', 'Same', 'Removed'].map((name) => (
          <th key={name} scope="col" class="right">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {Object.entries(entities).map(([name, counts]) => (
        <tr key={name}>
          <th scope="row">{labelOf(name)}</th>
          <td class="right">{number(counts.new)}</td>
          <td class="right">{number(counts.changed)}</td>
          <td class="right">{number(counts.same)}</td>
          <td class="right">{number(counts.removed)}</td>
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
