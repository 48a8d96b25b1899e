/** The audit trail: who did what about access, newest first. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { asFailure, type Failure, getJson } from '../api.js'
import { place, setQuery } from '../location.js'
import { Failed } from '../parts/states.js'
import { DataTable } from './data-table.js'
import { type About, ADMIN, useFetched, When } from './parts.js'

interface Entry {
  readonly id: string
  readonly at: string
  readonly act: string
  readonly actor: string
  readonly client: string | null
  readonly user: string | null
  readonly address: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

const FILTERS = ['act', 'client', 'user', 'from', 'to'] as const

export function Audit(): JSX.Element {
  const about = useFetched<About>('')
  const { query } = place.value
  const chosen = Object.fromEntries(
    FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name) as string]] : [])),
  )
  const asked = new URLSearchParams(chosen).toString()
  const entries = useSignal<readonly Entry[] | undefined>(undefined)
  const next = useSignal<string | null>(null)
  const failure = useSignal<Failure | undefined>(undefined)
  const running = useRef<AbortController>(undefined)
  /** If two requests overlap, the response of the later one counts. */
  const load = async (before?: string) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    try {
      failure.value = undefined
      const found = await getJson<{ entries: Entry[]; next: string | null }>(
        `${ADMIN}/audit?${asked}${before === undefined ? '' : `&before=${before}`}`,
        { signal: controller.signal },
      )
      entries.value = before === undefined ? found.entries : [...(entries.value ?? []), ...found.entries]
      next.value = found.next
    } catch (error) {
      if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
    }
  }
  useEffect(() => {
    void load()
    return () => running.current?.abort()
  }, [asked])
  return (
    <>
      <div class="toolbar">
        <form
          class="filters"
          key={asked}
          onSubmit={(event) => {
            event.preventDefault()
            const form = new FormData(event.currentTarget)
            setQuery(Object.fromEntries(FILTERS.map((name) => [name, String(form.get(name) ?? '') || undefined])))
          }}
        >
          <select name="act" aria-label="Act" defaultValue={chosen['act'] ?? ''}>
            <option value="">Every act</option>
            {about.value.value?.acts.map((act) => (
              <option key={act} value={act} selected={act === chosen['act']}>
                {act}
              </option>
            ))}
          </select>
          <input name="user" placeholder="User" aria-label="User" defaultValue={chosen['user']} />
          <input name="client" placeholder="Client" aria-label="Client" defaultValue={chosen['client']} />
          <label>
            From <input name="from" type="date" defaultValue={chosen['from']} />
          </label>
          <label>
            To <input name="to" type="date" defaultValue={chosen['to']} />
          </label>
          <button type="submit" class="button">
            Show
          </button>
        </form>
      </div>
      {failure.value !== undefined && <Failed failure={failure.value} again={() => void load()} />}
      {entries.value !== undefined && (
        <div class="content">
          <DataTable
            caption="Audit trail"
            rows={entries.value}
            keyOf={({ id }) => id}
            columns={[
              { title: 'When', cell: ({ at }) => <When at={at} /> },
              { title: 'Act', names: true, cell: ({ act }) => act },
              { title: 'By', cell: ({ actor }) => actor },
              { title: 'User', cell: ({ user }) => user },
              { title: 'Client', cell: ({ client }) => client },
              { title: 'From', cell: ({ address }) => address },
              { title: 'More', cell: ({ detail }) => detailInWords(detail) },
            ]}
          />
          {entries.value.length === 0 && <p class="quiet">No entry matches.</p>}
          {next.value !== null && (
            <p>
              <button type="button" class="button" onClick={() => void load(next.value ?? undefined)}>
                Show older entries
              </button>
            </p>
          )}
        </div>
      )}
    </>
  )
}

const detailInWords = (detail: Entry['detail']): string =>
  Object.entries(detail)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${inText(value)}`)
    .join(', ')

function inText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
