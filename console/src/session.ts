/** Who is signed in. The token is in a cookie that no script can read; this page knows only the response of `GET /session`. */
import { signal } from '@preact/signals'
import { account } from './company.js'
import { accountZone, yearBegins } from './dates.js'

export interface Session {
  readonly username: string
  readonly role: 'reader' | 'loader' | 'operator'
  /** Groups of reports; null for all. */
  readonly groups: readonly string[] | null
  /** Whether phone numbers and email addresses come as empty texts. */
  readonly hide_contacts: boolean
  readonly expires_at: string
  readonly csrf: string
  /** The newest version of the data, and when it was loaded. */
  readonly data_version: number
  readonly loaded_at: string
  /** The account's time zone, which reports use wherever the browser is. */
  readonly time_zone: string
  /** The name of the company. */
  readonly account: string
  /** The currency of all amounts in reports. */
  readonly currency: string
  /** The month in which the account's financial year begins. */
  readonly year_begins: number
  /** Whether the account has any item or customer. */
  readonly has_data: boolean
}

/** Undefined until it is known, null if nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)
/** Whether the last request could not reach the service. */
export const offline = signal(false)
/** Whether the session ended while the page was open; a dialog over the page then asks to sign in again. */
export const ended = signal(false)
/** The newest version of the data that the service has reported. */
export const newestVersion = signal<number>(0)
/** Whether the account has any data; undefined until it is known. */
export const hasData = signal<boolean | undefined>(undefined)
/** When each version that this page has seen was loaded. */
export const loadedAt = new Map<number, string>()

function learn({ data_version, loaded_at, time_zone, account: name, currency, year_begins, has_data }: Session): void {
  account.value = { name, currency }
  hasData.value = has_data
  accountZone.value = time_zone
  yearBegins.value = year_begins
  loadedAt.set(data_version, loaded_at)
  newestVersion.value = data_version
}

export const csrf = (): string => session.peek()?.csrf ?? ''

const json = { accept: 'application/json' }

/** Reads a body that nobody needs: until then, the browser counts the request as running. */
export async function drained(response: Response): Promise<null> {
  await response.arrayBuffer().catch(() => {})
  return null
}

/** Asks the service who is signed in. */
export async function loadSession(): Promise<Session | null> {
  const response = await fetch('/session', { headers: json, credentials: 'same-origin' })
  if (response.status !== 401 && !response.ok) throw new Error(`GET /session: ${response.status}`)
  const found = response.ok ? ((await response.json()) as Session) : await drained(response)
  if (found) learn(found)
  session.value = found
  return found
}

/** Uses the one-time link of `npm start`: its ticket is in the fragment, which browsers send to nobody. */
export async function openByTicket(): Promise<string | undefined> {
  const ticket = /^#open=([\w-]+)$/.exec(location.hash)?.[1]
  if (ticket === undefined) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  const response = await fetch('/session/open', {
    method: 'POST',
    headers: { ...json, 'content-type': 'application/json' },
    credentials: 'same-origin',
    body: JSON.stringify({ ticket }),
  })
  return response.ok ? undefined : await told(response)
}

/** Signs in by the authorization code with PKCE, without leaving the page. Returns an error message, or undefined. */
export async function signIn(username: string, password: string): Promise<string | undefined> {
  const asJson = { ...json, 'content-type': 'application/json' }
  const post = (path: string, body: unknown) =>
    fetch(path, { method: 'POST', headers: asJson, credentials: 'same-origin', body: JSON.stringify(body) })
  const begun = await post('/session/begin', {})
  if (!begun.ok) return await told(begun)
  const { action, fields } = (await begun.json()) as { action: string; fields: Record<string, string> }
  const form = new URLSearchParams({ ...fields, username, password })
  const signed = await fetch(action, {
    method: 'POST',
    headers: { ...json, 'content-type': 'application/x-www-form-urlencoded' },
    credentials: 'same-origin',
    body: form,
  })
  if (!signed.ok) return await told(signed)
  const { redirect_to } = (await signed.json()) as { redirect_to: string }
  const done = await fetch(redirect_to, { headers: json, credentials: 'same-origin' })
  if (!done.ok) return await told(done)
  await loadSession()
  ended.value = false
  return undefined
}

export async function signOut(): Promise<void> {
  try {
    const headers = { ...json, 'x-csrf-token': csrf() }
    await drained(await fetch('/session/end', { method: 'POST', headers, credentials: 'same-origin' }))
    session.value = null
  } catch {
    alert('The service cannot be reached, so you are still signed in; try again.')
  }
}

const told = async (response: Response): Promise<string> => {
  const said = (await response.json().catch(() => ({}))) as {
    detail?: string
    title?: string
    error_description?: string
  }
  return said.detail ?? said.error_description ?? said.title ?? `The service answered ${response.status}; try again.`
}

let renewal: Promise<boolean> | undefined

/** Waits until the user has signed in again; false if nobody was signed in. */
export function sessionEnded(): Promise<boolean> {
  if (session.peek() == null) return Promise.resolve(false)
  renewal ??= new Promise<boolean>((resolve) => {
    ended.value = true
    const stop = ended.subscribe((still) => {
      if (still) return
      queueMicrotask(() => stop())
      renewal = undefined
      resolve(session.peek() !== null)
    })
  })
  return renewal
}

/** To be called after this page has changed the data. */
export async function noticeLoad(): Promise<void> {
  const response = await fetch('/session', { headers: json, credentials: 'same-origin' })
  if (response.ok) learn((await response.json()) as Session)
  else await drained(response)
}

const POLL_MS = 20_000
/** Time between polls while the service cannot be reached. */
const SOON_MS = 3_000

/** Detects new loads: polls while the page is visible, when it becomes visible, and when the network connects or disconnects. */
export function followVersions(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = async () => {
    clearTimeout(timer)
    if (!document.hidden && session.peek() && !ended.peek())
      try {
        const response = await fetch('/session', { headers: json, credentials: 'same-origin' })
        offline.value = false
        if (response.ok) learn((await response.json()) as Session)
        else await drained(response)
      } catch {
        offline.value = true
      }
    clearTimeout(timer) // another poll may have begun meanwhile
    timer = setTimeout(look, offline.peek() ? SOON_MS : POLL_MS)
  }
  timer = setTimeout(look, POLL_MS)
  document.addEventListener('visibilitychange', look)
  for (const event of ['online', 'offline']) addEventListener(event, look)
}
