/** The pages of operators. */
import type { ComponentType, JSX } from 'preact'
import { DATA, OPERATE } from '../labels.js'
import { lazy } from '../parts/lazy.js'
import { Nothing } from '../parts/states.js'
import { session } from '../session.js'
import { Audit } from './audit.js'
import { Clients } from './clients.js'
import { Loads } from './loads.js'
import { Sessions } from './sessions.js'
import { Users } from './users.js'

const Import = lazy(async () => (await import('./bring/page.js')).BringIn)

const PAGES: Readonly<Record<string, ComponentType>> = {
  ...{ clients: Clients, users: Users, sessions: Sessions },
  ...{ audit: Audit, loads: Loads, import: Import },
}

export function OperatePage({ name }: { name: string }): JSX.Element {
  const Page = PAGES[name]
  const role = session.value?.role
  if (role !== 'operator' && !(role === 'loader' && name in DATA))
    return (
      <Nothing title="Not for your role">
        <p>
          {name in DATA ? 'These pages are for loaders and operators.' : 'These pages are for operators.'} Ask an
          operator to give you that role.
        </p>
      </Nothing>
    )
  if (Page === undefined)
    return (
      <Nothing title="No such page">
        <p>This page does not exist. The menu has the pages of operators.</p>
        <a class="button" href="/">
          Overview
        </a>
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
