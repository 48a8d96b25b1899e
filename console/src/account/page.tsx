/** The reader's own account: who they are here, their password and their app passwords. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import '../../style/account.css'
import { Groups, useAnswer } from '../operate/parts.js'
import { session } from '../session.js'
import { AppPasswords, type Passwords } from './app-passwords.js'
import { Password } from './password.js'

const ROLES: Readonly<Record<string, string>> = {
  reader: 'Reads reports',
  loader: 'Reads reports and brings in files',
  operator: 'Reads reports, brings in files and administers the service',
}

export function AccountPage(): JSX.Element {
  const list = useAnswer<Passwords>('/v1/app-passwords')
  useEffect(() => {
    document.title = 'Your account · Millbook'
  }, [])
  const who = session.value
  return (
    <div class="operate account">
      <header class="title">
        <h1>Your account</h1>
      </header>
      <div class="content">
        <dl class="facts">
          <div>
            <dt>Username</dt>
            <dd>
              <bdi>{who?.username}</bdi>
            </dd>
          </div>
          <div>
            <dt>Role</dt>
            <dd>{ROLES[who?.role ?? ''] ?? who?.role}</dd>
          </div>
          <div>
            <dt>Groups of reports</dt>
            <dd>
              <Groups groups={who?.groups ?? null} />
            </dd>
          </div>
          <div>
            <dt>Phone numbers and email addresses</dt>
            <dd>{who?.hide_contacts ? 'hidden' : 'shown'}</dd>
          </div>
        </dl>
        <AppPasswords list={list} />
        <Password appPasswords={list.value.value?.data.length} onChanged={list.again} />
      </div>
    </div>
  )
}
