/** A new password in place of the old one. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { asFailure, getJson } from '../api.js'
import { counted } from '../labels.js'
import { loadSession, session } from '../session.js'

interface Ended {
  readonly tokens_ended: number
  readonly app_passwords_ended: number
}

/** A token of this session ends too. */
const endedInWords = ({ tokens_ended, app_passwords_ended }: Ended): string =>
  `${counted(String(Math.max(0, tokens_ended - 1)), 'other session or token', 'other sessions and tokens')} and ${counted(String(app_passwords_ended), 'app password')} ended`

export function Password({
  appPasswords,
  onChanged,
}: {
  /** Their number; undefined if it is not known. */
  appPasswords: number | undefined
  onChanged: () => void
}): JSX.Element {
  const refused = useSignal<string | undefined>(undefined)
  const done = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const ends =
    appPasswords === 0 || appPasswords === undefined
      ? 'All your app passwords'
      : `Your ${counted(String(appPasswords), 'app password')}`
  return (
    <section aria-labelledby="password">
      <h2 id="password">Password</h2>
      <p>
        You stay signed in here. Your other sessions, and the tokens that programs have in your name, end at once.{' '}
        {appPasswords !== 0 && `${ends} end too: make new ones for your workbooks and programs.`}
      </p>
      <form
        ref={form}
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault()
          const sent = new FormData(event.currentTarget)
          refused.value = undefined
          done.value = undefined
          if (sent.get('new_password') !== sent.get('repeated')) {
            refused.value = 'The new password and its repetition differ: type both again.'
            return
          }
          busy.value = true
          try {
            const body = { old_password: sent.get('old_password'), new_password: sent.get('new_password') }
            const ended = await getJson<Ended>('/session/password', { method: 'POST', body })
            await loadSession() // the new session has another CSRF token
            form.current?.reset()
            done.value = `Your password is changed; ${endedInWords(ended)}.`
            onChanged()
          } catch (error) {
            const { message, errors } = asFailure(error)
            refused.value =
              errors.length === 0
                ? message
                : errors.map(({ field, message }) => `${WORDS[field] ?? field} ${message}.`).join(' ')
          } finally {
            busy.value = false
          }
        }}
      >
        {/* For password managers. */}
        <input
          class="unseen"
          type="text"
          name="username"
          autocomplete="username"
          value={session.value?.username}
          readOnly
          tabIndex={-1}
          aria-hidden="true"
        />
        <label>
          Old password
          <input name="old_password" type="password" autocomplete="current-password" required />
        </label>
        <label>
          New password, of at least 8 characters
          <input name="new_password" type="password" autocomplete="new-password" minLength={8} required />
        </label>
        <label>
          New password again
          <input name="repeated" type="password" autocomplete="new-password" minLength={8} required />
        </label>
        {refused.value !== undefined && (
          <p class="wrong" role="alert">
            {refused.value}
          </p>
        )}
        {done.value !== undefined && (
          <p class="word good" role="status">
            {done.value}
          </p>
        )}
        <button type="submit" class="button" disabled={busy.value}>
          Change the password
        </button>
      </form>
    </section>
  )
}

const WORDS: Readonly<Record<string, string>> = { old_password: 'The old password', new_password: 'The new password' }
