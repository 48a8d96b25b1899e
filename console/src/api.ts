/** Requests to the service, with the session's cookie and its CSRF token; waits and retries after limits, faults and a new sign-in. */
import { signal } from '@preact/signals'
import { csrf, offline, sessionEnded } from './session.js'

/** An error response of the service, or no response at all (status 0). */
export class Failure extends Error {
  readonly status: number
  readonly requestId: string | undefined
  /** The errors of parameters. */
  readonly errors: readonly Fault[]
  /** The service's sentence about this request, without its errors. */
  readonly detail: string | undefined

  constructor(message: string, status: number, requestId?: string, errors: readonly Fault[] = [], detail?: string) {
    super(message)
    this.detail = detail
    this.status = status
    this.requestId = requestId
    this.errors = errors
  }
}

export interface Fault {
  readonly field: string
  readonly message: string
}

export const asFailure = (error: unknown): Failure => (error instanceof Failure ? error : new Failure(String(error), 0))

/** Seconds until a request that exceeded the rate is sent again; undefined if none waits. */
export const waiting = signal<number | undefined>(undefined)

export interface Sent {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

const ATTEMPTS = 4

/** Sends a request and retries it after faults and limits; if the session has ended, waits for a new sign-in and sends it again. */
export async function send(path: string, sent: Sent = {}): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await sendOnce(path, sent)
    if (response.ok) return response
    const failure = await failureOf(response) // reads the body: until then, the browser counts the request as running
    if (response.status === 401 && (await sessionEnded())) continue
    const seconds = Number(response.headers.get('retry-after'))
    const again = response.status === 429 || response.status === 503
    if (!again || attempt === ATTEMPTS || !Number.isFinite(seconds)) throw failure
    await countDown(Math.max(1, seconds), sent.signal)
  }
}

export async function getJson<T>(path: string, sent?: Sent): Promise<T> {
  return (await (await send(path, sent)).json()) as T
}

async function sendOnce(path: string, { method = 'GET', body, headers, signal }: Sent): Promise<Response> {
  const type = body instanceof Blob || typeof body === 'string' ? {} : { 'content-type': 'application/json' }
  try {
    const response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { ...(body !== undefined && type), 'x-csrf-token': csrf(), ...headers },
      ...(body !== undefined && {
        body: body instanceof Blob || typeof body === 'string' ? body : JSON.stringify(body),
      }),
      ...(signal && { signal }),
    })
    offline.value = false
    return response
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error
    offline.value = true
    throw new Failure('The service cannot be reached. Check the network; then try again.', 0)
  }
}

async function failureOf(response: Response): Promise<Failure> {
  const id = response.headers.get('x-request-id') ?? undefined
  const said = (await response.json().catch(() => ({}))) as {
    title?: string
    detail?: string
    errors?: Fault[]
  }
  const about = said.errors?.map(({ field, message }) => `${field} ${message}`).join('; ')
  const text = said.detail ?? said.title ?? `The service answered ${response.status}.`
  return new Failure(about ? `${text}: ${about}.` : text, response.status, id, said.errors, said.detail)
}

async function countDown(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    for (let left = Math.ceil(seconds); left > 0; left--) {
      waiting.value = left
      await pause(1000, signal)
    }
  } finally {
    waiting.value = undefined
  }
}

export const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason ?? new DOMException('aborted', 'AbortError'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
