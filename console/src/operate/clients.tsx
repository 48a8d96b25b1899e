/** Clients: the programs that may call the API. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Icon } from '../parts/icons.js'
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

interface Client {
  readonly client_id: string
  readonly name: string
  readonly public: boolean
  readonly groups: readonly string[] | null
  readonly hide_contacts: boolean
  readonly grants: readonly string[]
  readonly rate: number | null
  readonly redirect_uris: readonly string[] | null
  readonly disabled_at: string | null
  readonly old_secret_until: string | null
  readonly tokens: number
  readonly last_token_at: string | null
}

/** The command line can limit and disable these. */
const BUILT_IN = ['console', 'app-passwords']

const nameOf = (client: Client): JSX.Element => (
  <>
    {client.name}
    <small>
      <span class="whole">{client.client_id}</span>
      {client.public && ' · public'}
      {client.old_secret_until !== null && ' · old secret still works'}
    </small>
  </>
)

export function Clients(): JSX.Element {
  const list = useFetched<{ clients: readonly Client[] }>('/clients')
  const about = useFetched<About>('')
  const { editing, asking, secret, close, done, now } = useWork<Client, { client: Client; what: Question }>(list)
  const path = ({ client_id }: Client) => `/clients/${encodeURIComponent(client_id)}`
  const ask = (client: Client, what: Question) => () => {
    asking.value = { client, what }
  }
  const actionsOn = (client: Client) =>
    !BUILT_IN.includes(client.client_id) && (
      <Actions
        of={client.name}
        choices={[
          { text: 'Change…', act: () => { editing.value = client } },
          ...(client.public ? [] : [{ text: 'New secret…', act: ask(client, 'rotate') }]),
          { text: 'End its tokens…', act: ask(client, 'revoke') },
          client.disabled_at === null
            ? { text: 'Disable…', danger: true, act: ask(client, 'disable') }
            : { text: 'Enable', act: () => now(`${path(client)}/enable`) },
          { text: 'Delete…', danger: true, act: ask(client, 'delete') },
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
          <Icon name="plus" /> New client
        </button>
      </div>
      <Loaded of={list}>
        {({ clients }) => (
          <div class="content">
            <DataTable
              caption="Clients"
              rows={clients}
              keyOf={({ client_id }) => client_id}
              columns={[
                { title: 'Name', names: true, cell: nameOf },
                { title: 'State', cell: ({ disabled_at }) => <State disabledAt={disabled_at} /> },
                { title: 'Groups', cell: ({ groups }) => <Groups groups={groups} /> },
                { title: 'Grants', cell: ({ grants }) => grants.join(', ') },
                { title: 'Units a minute', right: true, cell: ({ rate }) => rate ?? <span class="quiet">default</span> },
                { title: 'Tokens', right: true, cell: ({ tokens }) => tokens },
                { title: 'Last token', cell: ({ last_token_at }) => <When at={last_token_at} /> },
                { title: 'Actions', actions: true, cell: actionsOn },
              ]}
            />
          </div>
        )}
      </Loaded>
      {editing.value !== undefined && about.value.value !== undefined && (
        <ClientForm
          client={editing.value === 'new' ? undefined : editing.value}
          about={about.value.value}
          onClose={close}
          onDone={done}
        />
      )}
      {asking.value !== undefined && (
        <Ask
          {...asking.value}
          path={path(asking.value.client)}
          onClose={close}
          onDone={done}
        />
      )}
      {secret.value !== undefined && <SecretDialog secret={secret.value} onClose={close} />}
    </>
  ) // biome-ignore format: dense
}

const QUESTIONS = {
  disable: { title: 'Disable', button: 'Disable', text: 'Its tokens end now, and it gets no new tokens until you enable it.' },
  delete: { title: 'Delete', button: 'Delete', text: 'Its tokens end now. The audit trail keeps its name. This cannot be undone.' },
  rotate: { title: 'New secret for', button: 'Make a new secret', text: 'The old secret keeps working for the hours below, so that the program can be changed meanwhile.' },
  revoke: { title: 'End all tokens of', button: 'End them', text: 'The client may get new tokens with its secret.' },
} // biome-ignore format: one line each

type Question = keyof typeof QUESTIONS

function Ask({
  client,
  what,
  path,
  onClose,
  onDone,
}: {
  client: Client
  what: Question
  path: string
  onClose: () => void
  onDone: (secret?: Secret) => void
}): JSX.Element {
  const { title, button, text } = QUESTIONS[what]
  return (
    <FormDialog
      title={`${title} ${client.name}`}
      button={button}
      danger={what !== 'rotate'}
      onClose={onClose}
      submit={async (form) => {
        if (what === 'delete') await act('DELETE', path)
        else if (what === 'disable') await act('POST', `${path}/disable`)
        else if (what === 'revoke') await act('POST', `${path}/revoke-tokens`)
        else {
          const overlap_seconds = Math.round(Number(form.get('hours')) * 3600)
          const made = await act<{ client_secret: string }>('POST', `${path}/rotate-secret`, { overlap_seconds })
          return onDone({ title: `New secret of ${client.name}`, lines: [['client_secret', made.client_secret]] })
        }
        onDone()
      }}
    >
      <p>{text}</p>
      {what === 'rotate' && (
        <label>
          Hours for which the old secret keeps working
          <input name="hours" type="number" min="0" max="720" step="any" defaultValue="24" required />
        </label>
      )}
    </FormDialog>
  )
}

function ClientForm({
  client,
  about,
  onClose,
  onDone,
}: {
  client: Client | undefined
  about: About
  onClose: () => void
  onDone: (secret?: Secret) => void
}): JSX.Element {
  const isPublic = useSignal(client?.public ?? false)
  const usual = client?.grants ?? ['client_credentials']
  return (
    <FormDialog
      title={client === undefined ? 'New client' : `Change ${client.name}`}
      button={client === undefined ? 'Create' : 'Change'}
      onClose={onClose}
      submit={async (form) => {
        const rate = String(form.get('rate') ?? '')
        const uris = String(form.get('redirect_uris') ?? '')
          .split(/\s+/)
          .filter(Boolean)
        const settings = {
          groups: groupsIn(form),
          hide_contacts: form.has('hide_contacts'),
          rate: rate === '' ? null : Number(rate),
          ...(!isPublic.value && { grants: form.getAll('grants').map(String) }),
          ...(uris.length > 0 && { redirect_uris: uris }),
        }
        if (client !== undefined) {
          await act('PATCH', `/clients/${encodeURIComponent(client.client_id)}`, settings)
          return onDone()
        }
        const name = String(form.get('name'))
        const made = await act<{ client: Client; client_secret?: string }>('POST', '/clients', {
          ...{ name, ...settings },
          ...(isPublic.value && { public: true }),
        })
        onDone({
          title: `The client ${name}`,
          lines: [
            ['client_id', made.client.client_id],
            ...(made.client_secret === undefined ? [] : [['client_secret', made.client_secret] as const]),
          ],
        })
      }}
    >
      {client === undefined && (
        <>
          <label>
            Name
            <input name="name" required maxLength={100} placeholder="Nightly pull" />
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={isPublic.value}
              onChange={({ currentTarget }) => {
                isPublic.value = currentTarget.checked
              }}
            />
            A program on people’s machines, which can keep no secret
          </label>
        </>
      )}
      {!isPublic.value && (
        <fieldset class="stack">
          <legend>Grants: how it gets tokens</legend>
          <div class="ticks">
            {about.grants.map((grant) => (
              <label key={grant} class="check">
                <input type="checkbox" name="grants" value={grant} defaultChecked={usual.includes(grant)} />
                {grant}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <label>
        Redirect URIs, one a line, for authorization_code
        <textarea
          name="redirect_uris"
          rows={2}
          defaultValue={(client?.redirect_uris ?? []).join('\n')}
          required={isPublic.value}
        />
      </label>
      <GroupsField all={about.groups} chosen={client?.groups} />
      <label>
        Units a minute; empty for the default
        <input
          name="rate"
          type="number"
          min="1"
          defaultValue={client?.rate === null ? '' : String(client?.rate ?? '')}
        />
      </label>
      <label class="check">
        <input type="checkbox" name="hide_contacts" defaultChecked={client?.hide_contacts ?? false} />
        Hide phone numbers and email addresses
      </label>
    </FormDialog>
  )
}
