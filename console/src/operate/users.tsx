/** Users: the people who sign in, and for whom clients get tokens. */
import type { JSX } from 'preact'
import { Icon } from '../parts/icons.js'
import { session } from '../session.js'
import { DataTable } from './data-table.js'
import {
  type About,
  Actions,
  act,
  FormDialog,
  Groups,
  GroupsField,
  groupsIn,
  Loaded,
  type Secret,
  SecretDialog,
  State,
  useFetched,
  useWork,
  When,
} from './parts.js'

interface User {
  readonly username: string
  readonly role: string
  readonly groups: readonly string[] | null
  readonly hide_contacts: boolean
  readonly disabled_at: string | null
  readonly tokens: number
  readonly last_token_at: string | null
}

type Question = 'password' | 'disable' | 'delete' | 'revoke'

const QUESTIONS: Readonly<Record<Question, { title: string; button: string; text: string }>> = {
  password: { title: 'New password for', button: 'Set', text: 'All sessions and tokens of this user end. Leave it empty for a generated password, which is shown once.' },
  disable: { title: 'Disable', button: 'Disable', text: 'All sessions and tokens end now, and nobody can sign in with this name until you enable it.' },
  delete: { title: 'Delete', button: 'Delete', text: 'All sessions and tokens end now. The audit trail keeps the name. This cannot be undone.' },
  revoke: { title: 'End all sessions of', button: 'End them', text: 'This includes the tokens that programs got in this name.' },
} // biome-ignore format: one line each

const nameOf = ({ username }: User): JSX.Element => (
  <>
    {username}
    {username === session.value?.username && <small>you</small>}
  </>
)

const pathOf = ({ username }: User) => `/users/${encodeURIComponent(username)}`

export function Users(): JSX.Element {
  const list = useFetched<{ users: readonly User[] }>('/users')
  const about = useFetched<About>('')
  const { editing, asking, secret, close, done, now } = useWork<User, { user: User; what: Question }>(list)
  const ask = (user: User, what: Question) => () => {
    asking.value = { user, what }
  }
  const actionsOn = (user: User) => (
    <Actions
      of={user.username}
      choices={[
        { text: 'Change…', act: () => { editing.value = user } },
        { text: 'New password…', act: ask(user, 'password') },
        { text: 'End sessions…', act: ask(user, 'revoke') },
        user.disabled_at === null
          ? { text: 'Disable…', danger: true, act: ask(user, 'disable') }
          : { text: 'Enable', act: () => now(`${pathOf(user)}/enable`) },
        { text: 'Delete…', danger: true, act: ask(user, 'delete') },
      ]}
    />
  ) // biome-ignore format: one line each
  return (
    <>
      <div class="toolbar">
        <button
          type="button"
          class="button primary"
          onClick={() => {
            editing.value = 'new'
          }}
        >
          <Icon name="plus" /> New user
        </button>
      </div>
      <Loaded of={list}>
        {({ users }) => (
          <div class="content">
            <DataTable
              caption="Users"
              rows={users}
              keyOf={({ username }) => username}
              columns={[
                { title: 'Name', names: true, cell: nameOf },
                { title: 'State', cell: ({ disabled_at }) => <State disabledAt={disabled_at} /> },
                { title: 'Role', cell: ({ role }) => role },
                { title: 'Groups', cell: ({ groups }) => <Groups groups={groups} /> },
                { title: 'Contacts', cell: (user) => (user.hide_contacts ? 'hidden' : <span class="quiet">shown</span>) },
                { title: 'Tokens', right: true, cell: ({ tokens }) => tokens },
                { title: 'Last token', cell: ({ last_token_at }) => <When at={last_token_at} /> },
                { title: 'Actions', actions: true, cell: actionsOn },
              ]}
            />
          </div>
        )}
      </Loaded>
      {editing.value !== undefined && about.value.value !== undefined && (
        <UserForm
          user={editing.value === 'new' ? undefined : editing.value}
          about={about.value.value}
          onClose={close}
          onDone={done}
        />
      )}
      {asking.value !== undefined && (
        <Ask {...asking.value} onClose={close} onDone={done} />
      )}
      {secret.value !== undefined && <SecretDialog secret={secret.value} onClose={close} />}
    </>
  ) // biome-ignore format: dense
}

const shownOnce = (username: string, password: string | undefined): Secret | undefined =>
  password === undefined ? undefined : { title: `The password of ${username}`, lines: [['password', password]] }

function Ask({
  user,
  what,
  onClose,
  onDone,
}: {
  user: User
  what: Question
  onClose: () => void
  onDone: (secret?: Secret) => void
}): JSX.Element {
  const { title, button, text } = QUESTIONS[what]
  return (
    <FormDialog
      title={`${title} ${user.username}`}
      button={button}
      danger={what !== 'password'}
      onClose={onClose}
      submit={async (form) => {
        if (what === 'delete') await act('DELETE', pathOf(user))
        else if (what === 'disable') await act('POST', `${pathOf(user)}/disable`)
        else if (what === 'revoke') await act('POST', `${pathOf(user)}/revoke-tokens`)
        else {
          const typed = String(form.get('password') ?? '')
          const made = await act<{ password?: string }>(
            'POST',
            `${pathOf(user)}/password`,
            typed === '' ? {} : { password: typed },
          )
          return onDone(shownOnce(user.username, made.password))
        }
        onDone()
      }}
    >
      <p>{text}</p>
      {what === 'password' && (
        <label>
          New password
          <input name="password" type="password" autocomplete="new-password" minLength={8} />
        </label>
      )}
    </FormDialog>
  )
}

function UserForm({
  user,
  about,
  onClose,
  onDone,
}: {
  user: User | undefined
  about: About
  onClose: () => void
  onDone: (secret?: Secret) => void
}): JSX.Element {
  return (
    <FormDialog
      title={user === undefined ? 'New user' : `Change ${user.username}`}
      button={user === undefined ? 'Create' : 'Change'}
      onClose={onClose}
      submit={async (form) => {
        const settings = {
          role: String(form.get('role')),
          groups: groupsIn(form),
          hide_contacts: form.has('hide_contacts'),
        }
        if (user !== undefined) {
          await act('PATCH', pathOf(user), settings)
          return onDone()
        }
        const username = String(form.get('username'))
        const typed = String(form.get('password') ?? '')
        const made = await act<{ password?: string }>('POST', '/users', {
          ...{ username, ...settings },
          ...(typed !== '' && { password: typed }),
        })
        onDone(shownOnce(username, made.password))
      }}
    >
      {user === undefined && (
        <>
          <label>
            Username
            <input
              name="username"
              required
              maxLength={100}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
          </label>
          <label>
            Password; empty for a generated one, which is shown once
            <input name="password" type="password" autocomplete="new-password" minLength={8} />
          </label>
        </>
      )}
      <label>
        Role
        <select name="role" aria-label="Role" defaultValue={user?.role ?? 'reader'}>
          {about.roles.map((role) => (
            <option key={role} value={role} selected={role === (user?.role ?? 'reader')}>
              {role}
            </option>
          ))}
        </select>
      </label>
      <GroupsField all={about.groups} chosen={user?.groups} />
      <label class="check">
        <input type="checkbox" name="hide_contacts" defaultChecked={user?.hide_contacts ?? false} />
        Hide phone numbers and email addresses
      </label>
    </FormDialog>
  )
}
