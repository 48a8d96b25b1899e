/** The catalogue of errors: problems for callers of the API, and messages for people at the command line. */

/** An error that a person can fix: the command line shows its message without a stack. */
export class MillbookError extends Error {
  override name = 'MillbookError'
  /** The kind of mistake: an invalid value, an unknown name, or a conflict with the current state. */
  readonly kind: 'invalid' | 'unknown' | 'conflict'

  constructor(message: string, { kind = 'invalid', cause }: { kind?: MillbookError['kind']; cause?: unknown } = {}) {
    super(message, { cause })
    this.kind = kind
  }
}

/** Any error as text for the command line. */
export function inWords(error: unknown): string {
  const { stack, message, severity, code } = error as Error & { severity?: string; code?: string }
  if (error instanceof MillbookError) return message
  if (/^(CONNECTION_|ECONN)/.test(code ?? '')) return `${message}; run the command again when the database responds`
  return severity === undefined ? (stack ?? String(error)) : `the database reported: ${message}`
}

/** Every error of the API, with its status and public title; responses carry it as problem+json (RFC 9457). */
export const catalogue = {
  'malformed-request': { status: 400, title: 'The request could not be read' },
  unauthorized: { status: 401, title: 'A valid access token is required' },
  'sign-in-failed': { status: 401, title: 'Signing in failed' },
  forbidden: { status: 403, title: 'This client may not use this endpoint' },
  'csrf-token-required': { status: 403, title: 'The request lacks the CSRF token of its session' },
  'does-not-exist': { status: 404, title: 'Not found' },
  'not-found': { status: 404, title: 'This endpoint does not exist' },
  'method-not-allowed': { status: 405, title: 'This endpoint does not support this method' },
  'not-acceptable': { status: 406, title: 'No available format matches the Accept header' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  conflict: { status: 409, title: 'Conflict with the current state' },
  gone: { status: 410, title: 'This version of the report is no longer available' },
  'link-ended': { status: 410, title: 'This link does not work any more' },
  'body-too-large': { status: 413, title: 'The request body is too large' },
  'unsupported-media-type': { status: 415, title: 'The request body must be JSON' },
  'invalid-parameters': { status: 422, title: 'Some parameters are invalid' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'The headers of the request are too large' },
  'not-implemented': { status: 501, title: 'This service does not support this request' },
  'internal-error': { status: 500, title: 'The service failed to process the request' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable' },
  timeout: { status: 504, title: 'The report took too long' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof catalogue

/** An invalid parameter, with a message that says what to send instead. */
export interface FieldError {
  field: string
  message: string
}

type Headers = Record<string, string | string[]>

interface ProblemOptions {
  /** For the caller: the reason of the failure, then what to do. */
  detail?: string
  errors?: FieldError[]
  /** A list is sent as several lines. */
  headers?: Headers
  /** For the log only. */
  cause?: unknown
}

/** An error response. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  readonly detail: string | undefined
  readonly errors: FieldError[] | undefined
  readonly headers: Headers

  constructor(code: ProblemCode, { detail, errors, headers = {}, cause }: ProblemOptions = {}) {
    super(detail ?? catalogue[code].title, { cause })
    this.code = code
    this.status = catalogue[code].status
    this.detail = detail
    this.errors = errors
    this.headers = headers
  }

  /** The body of the response (RFC 9457). */
  toBody(requestId: string): Record<string, unknown> {
    return {
      type: `urn:millbook:problem:${this.code}`,
      title: catalogue[this.code].title,
      status: this.status,
      ...(this.detail !== undefined && { detail: this.detail }),
      ...(this.errors !== undefined && { errors: this.errors }),
      request_id: requestId,
    }
  }
}
