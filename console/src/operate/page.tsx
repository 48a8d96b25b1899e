/** The pages of operators. */
import type { JSX } from 'preact'
import { Nothing } from '../parts/states.js'
import { session } from '../session.js'
import { Audit } from './audit.js'
import { Clients } from './clients.js'
import { Import } from './import.js'
import { Loads } from './loads.js'
import { Sessions } from './sessions.js'
import { Users } from './users.js'

export const operatePages: Readonly<Record<string, { title: string; Page: () => JSX.Element }>> = {
  clients: { title: 'Clients', Page: Clients },
  users: { title: 'Users', Page: Users },
  sessions: { title: 'Sessions', Page: Sessions },
  audit: { title: 'Audit trail', Page: Audit },
  loads: { title: 'Loads', Page: Loads },
  import: { title: 'Try an import', Page: Import },
}

export function OperatePage({ name }: { name: string }): JSX.Element {
  const found = operatePages[name]
  if (session.value?.role !== 'operator')
    return (
      <Nothing>
        <p>These pages are for operators. Another operator can make you one.</p>
      </Nothing>
    )
  if (found === undefined)
    return (
      <Nothing>
        <p>This page does not exist.</p>
      </Nothing>
    )
  return (
    <div class="operate">
      <header class="title">
        <h1>{found.title}</h1>
      </header>
      <found.Page />
    </div>
  )
}
