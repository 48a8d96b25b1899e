/** Parts of the operators' pages: lists from the service, actions on a row, forms in dialogs, secrets that are shown once. */
import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { groupWords } from '../../../src/groups.js'
import { asFailure, Failure, getJson } from '../api.js'
import { clock } from '../dates.js'
import { copyText } from '../parts/copy.js'
import { Dialog } from '../parts/dialog.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { Failed } from '../parts/states.js'

export const ADMIN = '/v1/admin'

/** Sends a change; throws a refusal with the service's message. */
export const act = <T,>(method: string, path: string, body?: unknown): Promise<T> =>
  getJson<T>(`${ADMIN}${path}`, { method, ...(body !== undefined && { body }) })

export interface Fetched<T> {
  readonly value: Signal<T | undefined>
  readonly failure: Signal<Failure | undefined>
  again(): void
}

/** An answer of the administration; its path is relative. */
export const useFetched = <T,>(path: string): Fetched<T> => useAnswer<T>(`${ADMIN}${path}`)

export function useAnswer<T>(path: string): Fetched<T> {
  const value = useSignal<T | undefined>(undefined)
  const failure = useSignal<Failure | undefined>(undefined)
  const attempt = useSignal(0)
  useEffect(() => {
    const controller = new AbortController()
    failure.value = undefined
    getJson<T>(path, { signal: controller.signal }).then(
      (found) => {
        value.value = found
      },
      (error) => {
        if ((error as Error).name !== 'AbortError') failure.value = asFailure(error)
      },
    )
    return () => controller.abort()
  }, [path, attempt.value, value, failure])
  return {
    value,
    failure,
    again: () => {
      attempt.value++
    },
  }
}

/** The dialog that a page of clients or users has open: a form, a question, a secret. */
export function useWork<T, Asked>(list: Fetched<unknown>) {
  const editing = useSignal<T | 'new' | undefined>(undefined)
  const asking = useSignal<Asked | undefined>(undefined)
  const secret = useSignal<Secret | undefined>(undefined)
  const close = () => {
    editing.value = undefined
    asking.value = undefined
    secret.value = undefined
  }
  return {
    ...{ editing, asking, secret, close },
    /** Closes the dialog, shows a new secret, and fetches the list again. */
    done(made?: Secret) {
      close()
      secret.value = made
      list.again()
    },
    /** Sends a change that needs no confirmation. */
    now(path: string) {
      act('POST', path).then(list.again, (error) => {
        list.failure.value = asFailure(error)
      })
    },
  }
}

/** The list once it has arrived; before that nothing, or the error. */
export function Loaded<T>({
  of,
  children,
}: {
  of: Fetched<T>
  children: (value: T) => ComponentChildren
}): JSX.Element {
  const [failure, value] = [of.failure.value, of.value.value]
  if (failure !== undefined && value === undefined) return <Failed failure={failure} again={of.again} />
  return (
    <>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure.message} What you see is old.{' '}
          <button type="button" class="link" onClick={of.again}>
            Try again
          </button>
        </p>
      )}
      {value !== undefined && children(value)}
    </>
  )
}

export const When = ({ at }: { at: string | null }): JSX.Element =>
  at === null ? <span class="absent">never</span> : <time dateTime={at}>{clock(at)}</time>

export const State = ({ disabledAt }: { disabledAt: string | null }): JSX.Element =>
  disabledAt === null ? <span class="word good">active</span> : <span class="word bad">disabled</span>

export const Groups = ({ groups }: { groups: readonly string[] | null }): JSX.Element =>
  groups === null ? (
    <span class="quiet">all</span>
  ) : (
    <span title={groups.join(', ')}>{groups.map(groupName).join(', ')}</span>
  )

const groupName = (group: string): string => groupWords.find(([name]) => name === group)?.[1] ?? group

/** An action on a row. */
export interface Choice {
  readonly text: string
  readonly danger?: boolean
  act(): void
}

export const Actions = ({ of, choices }: { of: string; choices: readonly Choice[] }): JSX.Element => (
  <Menu wordless end class="mini" label={<Icon name="more" />} title={`Actions for ${of}`}>
    {(close) => (
      <div class="items">
        {choices.map(({ text, danger, act }) => (
          <button
            key={text}
            type="button"
            class={danger ? 'item negative' : 'item'}
            onClick={() => {
              close()
              act()
            }}
          >
            {text}
          </button>
        ))}
      </div>
    )}
  </Menu>
)

/** A form in a dialog. If `submit` throws, the dialog shows the error and stays open. */
export function FormDialog({
  title,
  button,
  danger,
  submit,
  onClose,
  children,
}: {
  title: string
  button: string
  danger?: boolean
  submit: (form: FormData) => Promise<void>
  onClose: () => void
  children: ComponentChildren
}): JSX.Element {
  const refused = useSignal<string | undefined>(undefined)
  const busy = useSignal(false)
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault()
          busy.value = true
          refused.value = undefined
          try {
            await submit(new FormData(event.currentTarget))
          } catch (error) {
            refused.value = asFailure(error).message
          } finally {
            busy.value = false
          }
        }}
      >
        <h2>{title}</h2>
        {children}
        {refused.value !== undefined && (
          <p class="wrong" role="alert">
            {refused.value}
          </p>
        )}
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={danger ? 'button danger' : 'button primary'} disabled={busy.value}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** A secret that the service shows once. */
export interface Secret {
  readonly title: string
  /** How to use it. */
  readonly about?: ComponentChildren
  readonly lines: readonly (readonly [string, string])[]
}

/** Closes by its button only: Escape, or a click beside it, would lose the secret. */
export function SecretDialog({ secret, onClose }: { secret: Secret; onClose: () => void }): JSX.Element {
  const copied = useSignal<string | undefined>(undefined)
  return (
    <Dialog title={secret.title}>
      <h2>{secret.title}</h2>
      <p>It is shown only now. Keep it in a safe place, and give it to nobody else.</p>
      {secret.lines.map(([name, text]) => (
        <div key={name} class="stack">
          <span class="quiet">{name}</span>
          <code class="secret">{text}</code>
          <button
            type="button"
            class="button"
            onClick={async () => {
              if (await copyText(text, 'Copied')) copied.value = name
            }}
          >
            <Icon name={copied.value === name ? 'check' : 'copy'} />{' '}
            {copied.value === name ? 'Copied' : `Copy the ${name}`}
          </button>
        </div>
      ))}
      {secret.about}
      <div class="actions">
        <button type="button" class="button primary" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </Dialog>
  )
}

/** The choice of groups of reports: all groups, or the ticked ones. For a new client or user (`undefined`) neither is chosen. */
export function GroupsField({
  all,
  chosen,
}: {
  all: readonly string[]
  chosen: readonly string[] | null | undefined
}): JSX.Element {
  const which = useSignal(chosen === undefined ? undefined : chosen === null ? ALL : SOME)
  const choice = (value: string, text: string) => (
    <label class="check">
      <input
        type="radio"
        name="which_groups"
        value={value}
        required
        checked={which.value === value}
        onChange={() => {
          which.value = value
        }}
      />
      {text}
    </label>
  )
  return (
    <fieldset class="stack groups">
      <legend>Groups of reports</legend>
      {choice(ALL, 'All groups, also groups that come later')}
      {choice(SOME, 'Only these groups')}
      {which.value === SOME && (
        <div class="ticks">
          {groupWords
            .filter(([group]) => all.includes(group))
            .map(([group, name, contents]) => (
              <label key={group} class="check">
                <input type="checkbox" name="groups" value={group} defaultChecked={chosen?.includes(group) ?? false} />
                <span>
                  {name}
                  <small>{contents}</small>
                </span>
              </label>
            ))}
        </div>
      )}
    </fieldset>
  )
}

const ALL = 'all'
const SOME = 'some'

/** The chosen groups, null for all; throws a sentence if nothing is chosen. */
export function groupsIn(form: FormData): string[] | null {
  if (form.get('which_groups') === ALL) return null
  const groups = form.getAll('groups').map(String)
  if (groups.length === 0) throw new Failure('No group is ticked: tick at least one, or choose all groups.', 0)
  return groups
}

/** Words of `GET /v1/admin`. */
export interface About {
  readonly may: { readonly administer: boolean; readonly load: boolean }
  readonly groups: readonly string[]
  readonly grants: readonly string[]
  readonly roles: readonly string[]
  readonly acts: readonly string[]
  readonly entities: readonly string[]
  readonly endings: { readonly workbooks: readonly string[]; readonly imports: readonly string[] }
  readonly limits: { readonly file_bytes: number; readonly all_bytes: number }
}
