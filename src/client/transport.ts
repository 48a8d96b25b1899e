/** Sends requests with a token, and retries failures that may pass. Uses nothing but `fetch`. */

/** The credentials of a client; tokens are fetched and refreshed as needed. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
  /** Without a user, the client signs in on its own behalf (the grant `client_credentials`). */
  readonly username?: string
  readonly password?: string
}

/** An app password of a user: it reads reports and the data of saved views, with the rights of the user. */
export interface AppPassword {
  readonly appPassword: string
}

export interface TransportOptions {
  /** The URL of the service, such as `https://reports.example.com`. */
  readonly url: string
  /** Credentials, an app password, or a function that returns an access token; `fresh` asks for a new token, because the last one was refused. */
  readonly auth: Credentials | AppPassword | ((fresh: boolean) => string | Promise<string>)
  /** How many times a request is sent again after a 429, a 5xx or a lost connection; 6 by default. */
  readonly retries?: number
  /** The longest pause before a request is sent again, in milliseconds; 60,000 by default. */
  readonly longestPause?: number
  /** Timeout of a request in milliseconds, 120,000 by default; the request is then retried. A file may take longer to read. */
  readonly timeout?: number
  /** Cancels all requests. */
  readonly signal?: AbortSignal
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Called before each pause, for a log. */
  readonly onRetry?: (about: {
    readonly reason: string
    readonly milliseconds: number
    readonly attempt: number
  }) => void
}

/** An error response of Millbook. */
export class MillbookError extends Error {
  override readonly name: string = 'MillbookError'
  readonly status: number
  /** Such as `urn:millbook:problem:invalid-parameters`. */
  readonly type: string
  readonly detail: string | undefined
  /** The invalid parameters. */
  readonly errors: readonly { readonly field: string; readonly message: string }[]
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined

  constructor(status: number, body: Problem) {
    const errors = body.errors ?? []
    const named = errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    super([body.title ?? `HTTP ${status}`, body.detail ?? body.error_description, named].filter(Boolean).join(': '))
    this.status = status
    this.type = body.type ?? 'about:blank'
    this.detail = body.detail
    this.errors = errors
    this.requestId = body.request_id
  }
}

/** 410: the service no longer keeps the version of a walk over pages, or the token of `changesSince`. */
export class GoneError extends MillbookError {
  override readonly name = 'GoneError'
}

/** The connection was refused, lost or too slow, also after all retries. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

interface Problem {
  readonly type?: string
  readonly title?: string
  readonly detail?: string
  readonly error_description?: string
  readonly errors?: readonly { field: string; message: string }[]
  readonly request_id?: string
}

/** Parameters of a query string; a parameter with several values is sent several times. */
export type Asked = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query: Asked
  readonly body?: object | undefined
  /** A request that must not be carried out twice: it is only sent again if the service has refused it. */
  readonly isOnce?: true
  readonly signal?: AbortSignal | undefined
}

const TIMEOUT_MS = 120_000
/** Timers cannot wait longer. */
const LONGEST_MS = 2 ** 31 - 1
const FIRST_PAUSE_MS = 250
/** A token is replaced this long before it expires. */
const EARLY_MS = 30_000
const AGAIN = new Set([408, 425, 429, 500, 502, 503, 504])
/** The service has done nothing. */
const REFUSED = new Set([429])

export class Transport {
  readonly #options: TransportOptions
  readonly #fetch: typeof globalThis.fetch
  #token: { readonly access: string; readonly refresh: string | undefined; readonly endsAt: number } | undefined
  #signingIn: Promise<string> | undefined

  constructor(options: TransportOptions) {
    if (!URL.canParse(options.url) || !/^https?:$/.test(new URL(options.url).protocol))
      throw new TypeError(`url must be an http or https address, not ${options.url}`)
    this.#options = options
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  }

  /** The response of a report. Its body is read here, so that a connection that is lost meanwhile leads to a retry. */
  async call<T>(call: Call, read: (response: Response) => Promise<T>): Promise<T> {
    let renewed = false
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    return await this.#patiently(call, async (signal) => {
      let token = await this.#access(false, signal)
      while (true) {
        const response = await this.#send(this.#urlOf(call), {
          method: call.method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body }),
          signal,
        })
        if (response.ok) return await read(response).catch(lost)
        if (response.status !== 401 || renewed || 'appPassword' in this.#options.auth) throw await failureOf(response)
        await response.body?.cancel()
        renewed = true
        token = await this.#access(true, signal)
      }
    })
  }

  #send(url: URL, init: RequestInit): Promise<Response> {
    return this.#fetch(url, init).catch(lost)
  }

  #urlOf({ path, query }: Call): URL {
    const url = new URL(this.#options.url)
    url.pathname = url.pathname.replace(/\/+$/, '') + path
    url.search = ''
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one))
    return url
  }

  /** A token that all calls share. */
  async #access(fresh: boolean, signal: AbortSignal): Promise<string> {
    const { auth } = this.#options
    if (typeof auth === 'function') return await auth(fresh)
    if ('appPassword' in auth) return auth.appPassword
    if (!fresh && this.#token !== undefined && Date.now() < this.#token.endsAt - EARLY_MS) return this.#token.access
    const refresh = this.#token?.refresh
    // The request is shared, so no single waiting call may cancel it.
    const { timeout = TIMEOUT_MS, signal: outer } = this.#options
    const own = [AbortSignal.timeout(Math.min(timeout, LONGEST_MS)), ...(outer ? [outer] : [])]
    this.#signingIn ??= this.#signIn(auth, refresh, AbortSignal.any(own)).finally(() => {
      this.#signingIn = undefined
    })
    const signingIn = this.#signingIn
    signingIn.catch(() => {})
    return await Promise.race([signingIn, aborted(signal)])
  }

  async #signIn(auth: Credentials, refresh: string | undefined, signal: AbortSignal): Promise<string> {
    const client = { client_id: auth.clientId, client_secret: auth.clientSecret }
    const ask = (body: object) =>
      this.#send(this.#urlOf({ method: 'POST', path: '/oauth2/token', query: {} }), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...client }),
        signal,
      })
    this.#token = undefined
    let response =
      refresh === undefined ? undefined : await ask({ grant_type: 'refresh_token', refresh_token: refresh })
    if (response === undefined || response.status === 400 || response.status === 401) {
      await response?.body?.cancel() // the refresh token has ended too
      const { username, password } = auth
      response = await ask(
        username === undefined ? { grant_type: 'client_credentials' } : { grant_type: 'password', username, password },
      )
    }
    if (!response.ok) throw await failureOf(response)
    const { access_token, refresh_token, expires_in } = (await response.json()) as Record<string, unknown>
    const token = {
      access: access_token as string,
      refresh: (refresh_token as string | undefined) ?? refresh,
      endsAt: Date.now() + Number(expires_in ?? 0) * 1000,
    }
    this.#token = token
    return token.access
  }

  /** Retries failures that may pass, and waits as long as the service asks for. */
  async #patiently<T>(
    { signal: own, isOnce }: Pick<Call, 'signal' | 'isOnce'>,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { retries = 6, longestPause = 60_000, timeout = TIMEOUT_MS, signal, onRetry } = this.#options
    const outer = [own, signal].filter((one) => one !== undefined)
    for (let attempt = 1; ; attempt++) {
      for (const one of outer) one.throwIfAborted()
      const late = new AbortController()
      const tooLate = () => late.abort(new ConnectionError('the response took too long'))
      const timer = setTimeout(tooLate, Math.min(timeout, LONGEST_MS))
      try {
        return await work(AbortSignal.any([...outer, late.signal]))
      } catch (error) {
        for (const one of outer) one.throwIfAborted()
        const status = error instanceof Failure ? error.problem.status : undefined
        const passes =
          status === undefined ? error instanceof ConnectionError && !isOnce : (isOnce ? REFUSED : AGAIN).has(status)
        if (!passes || !(attempt <= retries)) throw error instanceof Failure ? error.problem : error
        const asked = error instanceof Failure ? error.after : undefined
        const pause = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2)
        const milliseconds = Math.min(longestPause, asked ?? pause)
        onRetry?.({ reason: status === undefined ? (error as Error).message : `HTTP ${status}`, milliseconds, attempt })
        for (const one of outer) one.throwIfAborted()
        await rest(milliseconds, outer)
      } finally {
        clearTimeout(timer) // a body that is read later, such as a file, has no timeout
      }
    }
  }
}

/** An error response, and the time that it asks to wait. */
class Failure extends Error {
  readonly problem: MillbookError
  readonly after: number | undefined

  constructor(problem: MillbookError, after: number | undefined) {
    super(problem.message)
    this.problem = problem
    this.after = after
  }
}

async function failureOf(response: Response): Promise<Failure> {
  const text = await response.text()
  let body: Problem = {}
  try {
    body = JSON.parse(text)
  } catch {
    body = { detail: text.slice(0, 200) }
  }
  const problem = new (response.status === 410 ? GoneError : MillbookError)(response.status, body)
  return new Failure(problem, millisecondsOf(response.headers.get('retry-after')))
}

function millisecondsOf(after: string | null): number | undefined {
  if (after === null) return undefined
  const milliseconds = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}

/** Makes any error a ConnectionError. */
export const lost = (error: unknown): never => {
  if (error instanceof ConnectionError) throw error
  const { message = String(error), cause } = error as Error
  throw new ConnectionError(`${message}${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause: error })
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const rest = (milliseconds: number, signals: readonly AbortSignal[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', abort)
    }
    const abort = () => {
      end()
      reject(signals.find(({ aborted }) => aborted)?.reason)
    }
    const timer = setTimeout(() => {
      end()
      resolve()
    }, milliseconds)
    for (const signal of signals) signal.addEventListener('abort', abort)
  })
