/** The pages of operators. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { DATA, OPERATE } from '../labels.js'
import { Nothing } from '../parts/states.js'
import { session } from '../session.js'
import { Audit } from './audit.js'
import { Clients } from './clients.js'
import { Loads } from './loads.js'
import { Sessions } from './sessions.js'
import { Users } from './users.js'

/** A page of its own script, which no first view needs. */
function Import(): JSX.Element {
  const found = useSignal<(() => JSX.Element) | undefined>(undefined)
  useEffect(() => {
    void import('./bring/page.js').then(({ BringIn }) => {
      found.value = BringIn
    })
  }, [])
  const Page = found.value
  return Page === undefined ? <div class="content" aria-busy="true" /> : <Page />
}

const PAGES: Readonly<Record<string, () => JSX.Element>> = {
  ...{ clients: Clients, users: Users, sessions: Sessions },
  ...{ audit: Audit, loads: Loads, import: Import },
}

export function OperatePage({ name }: { name: string }): JSX.Element {
  const Page = PAGES[name]
  const role = session.value?.role
  if (role !== 'operator' && !(role === 'loader' && name in DATA))
    return (
      <Nothing>
        <p>
          {name in DATA ? 'These pages are for loaders and operators.' : 'These pages are for operators.'} Ask an
          operator to give you that role.
        </p>
      </Nothing>
    )
  if (Page === undefined)
    return (
      <Nothing>
        <p>This page does not exist.</p>
      </Nothing>
    )
  return (
    <div class="operate">
      <header class="title">
        <h1>{OPERATE[name] ?? DATA[name]}</h1>
      </header>
      <Page />
    </div>
  )
}
