/** Sessions: the valid tokens of people and programs. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { DataTable } from './data-table.js'
import { act, FormDialog, Groups, Loaded, useFetched, When } from './parts.js'

interface Token {
  readonly id: string
  readonly kind: string
  readonly client: string
  readonly username: string | null
  readonly groups: readonly string[] | null
  readonly created_at: string
  readonly expires_at: string
  readonly address: string | null
  readonly current: boolean
}

const nameOf = ({ username, current }: Token): JSX.Element => (
  <>
    {username ?? <span class="quiet">nobody</span>}
    {current && <small>this session</small>}
  </>
)

export function Sessions(): JSX.Element {
  const list = useFetched<{ sessions: readonly Token[]; more: boolean }>('/sessions')
  const ending = useSignal<Token | undefined>(undefined)
  return (
    <>
      <Loaded of={list}>
        {({ sessions, more }) => (
          <div class="content">
            <DataTable
              caption="Sessions"
              rows={sessions}
              keyOf={({ id }) => id}
              columns={[
                { title: 'User', names: true, cell: nameOf },
                { title: 'Client', cell: ({ client }) => client },
                { title: 'Token', cell: ({ kind }) => kind },
                { title: 'Groups', cell: ({ groups }) => <Groups groups={groups} /> },
                { title: 'Issued', cell: ({ created_at }) => <When at={created_at} /> },
                { title: 'From', cell: ({ address }) => address ?? <span class="absent">–</span> },
                { title: 'Ends', cell: ({ expires_at }) => <When at={expires_at} /> },
                {
                  title: 'Actions',
                  actions: true,
                  cell: (token) => (
                    <button
                      type="button"
                      class="link"
                      aria-label={`End the token of ${token.username ?? token.client}`}
                      onClick={() => {
                        ending.value = token
                      }}
                    >
                      End…
                    </button>
                  ),
                },
              ]}
            />
            {more && <p class="quiet">There are older tokens, too.</p>}
          </div>
        )}
      </Loaded>
      {ending.value !== undefined && (
        <FormDialog
          title={`End the token of ${ending.value.username ?? ending.value.client}`}
          button="End it"
          danger
          onClose={() => {
            ending.value = undefined
          }}
          submit={async () => {
            await act('DELETE', `/sessions/${encodeURIComponent(ending.value?.id ?? '')}`)
            ending.value = undefined
            list.again()
          }}
        >
          <p>
            {ending.value.current
              ? 'This is your own session: you will have to sign in again.'
              : 'The person or program that uses this token has to sign in again, or get a new token.'}
          </p>
        </FormDialog>
      )}
    </>
  ) // biome-ignore format: dense
}
