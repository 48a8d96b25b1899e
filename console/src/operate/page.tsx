/** The pages of operators. */
import type { JSX } from 'preact'
import { OPERATE } from '../labels.js'
import { Nothing } from '../parts/states.js'
import { session } from '../session.js'
import { Audit } from './audit.js'
import { Clients } from './clients.js'
import { Import } from './import.js'
import { Loads } from './loads.js'
import { Sessions } from './sessions.js'
import { Users } from './users.js'

const PAGES: Readonly<Record<string, () => JSX.Element>> = {
  ...{ clients: Clients, users: Users, sessions: Sessions },
  ...{ audit: Audit, loads: Loads, import: Import },
}

export function OperatePage({ name }: { name: string }): JSX.Element {
  const Page = PAGES[name]
  if (session.value?.role !== 'operator')
    return (
      <Nothing>
        <p>These pages are for operators. Ask an operator to give you that role.</p>
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
        <h1>{OPERATE[name]}</h1>
      </header>
      <Page />
    </div>
  )
}
