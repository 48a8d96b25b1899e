/** Signing in: as the first page, and over any page when the session has ended. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { Dialog } from './parts/dialog.js'
import { ended, session, signIn } from './session.js'

function Form({ username, onDone }: { username?: string | undefined; onDone?: () => void }): JSX.Element {
  const refused = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  return (
    <form
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        busy.value = true
        try {
          refused.value = await signIn(String(form.get('username')), String(form.get('password')))
          if (refused.value === undefined) onDone?.()
        } catch {
          refused.value = 'The service cannot be reached. Check the network; then try again.'
        } finally {
          busy.value = false
        }
      }}
    >
      <label>
        Username
        <input
          name="username"
          autocomplete="username"
          required
          autocapitalize="none"
          spellcheck={false}
          defaultValue={username}
        />
      </label>
      <label>
        Password
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      {refused.value !== undefined && (
        <p class="wrong" role="alert">
          {refused.value}
        </p>
      )}
      <button type="submit" class="button primary" disabled={busy.value}>
        {busy.value ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  )
}

export const SignInPage = ({ note }: { note: string | undefined }): JSX.Element => (
  <main class="sign-in">
    <div class="card">
      <h1 class="brand">
        <img src="/icon.svg" alt="" width="28" height="28" /> Millbook
      </h1>
      {note !== undefined && (
        <p class="wrong" role="alert">
          {note}
        </p>
      )}
      <Form />
      <p class="quiet">
        An operator creates users with <code>millbook user create</code>. Programs use the <a href="/docs">API</a>.
      </p>
    </div>
  </main>
)

/** The page below keeps its state: refused requests are sent again after signing in. */
export function SignInAgain(): JSX.Element | null {
  if (!ended.value) return null
  return (
    <Dialog title="Sign in again">
      <h2>Your session has ended</h2>
      <p class="quiet">Sign in again; the page stays as it is.</p>
      <Form username={session.value?.username} />
    </Dialog>
  )
}
