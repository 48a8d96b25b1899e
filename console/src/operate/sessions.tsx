/** Sessions: the valid tokens of people and programs. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
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

export function Sessions(): JSX.Element {
  const list = useFetched<{ sessions: readonly Token[]; more: boolean }>('/sessions')
  const ending = useSignal<Token | undefined>(undefined)
  return (
    <>
      <Loaded of={list}>
        {({ sessions, more }) => (
          <div class="scroll">
            <table class="data">
              <thead>
                <tr>
                  <th scope="col">User</th>
                  <th scope="col">Client</th>
                  <th scope="col">Token</th>
                  <th scope="col">Groups</th>
                  <th scope="col">Issued</th>
                  <th scope="col">From</th>
                  <th scope="col">Ends</th>
                  <th scope="col"><span class="quiet">Actions</span></th>
                </tr>
              </thead>
              <tbody>
                {sessions.map((token) => (
                  <tr key={token.id}>
                    <th scope="row">
                      {token.username ?? <span class="quiet">nobody</span>}
                      {token.current && <small>this session</small>}
                    </th>
                    <td>{token.client}</td>
                    <td>{token.kind}</td>
                    <td><Groups groups={token.groups} /></td>
                    <td><When at={token.created_at} /></td>
                    <td>{token.address ?? <span class="absent">–</span>}</td>
                    <td><When at={token.expires_at} /></td>
                    <td>
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
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {more && <p class="quiet">There are older ones too.</p>}
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
              : 'Whoever uses it has to sign in, or get a new token.'}
          </p>
        </FormDialog>
      )}
    </>
  ) // biome-ignore format: dense
}
