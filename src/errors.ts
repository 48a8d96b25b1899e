/** The catalogue of errors: what callers of the API are told, and what people at the command line are told. */

/** Something that a person can mend: the command line shows the message as it is, without a stack. */
export class MillbookError extends Error {
  override name = 'MillbookError'
}

/** What the command line says of any error. */
export function inWords(error: unknown): string {
  const { stack, message, severity } = error as Error & { severity?: string }
  if (error instanceof MillbookError) return message
  return severity === undefined ? (stack ?? String(error)) : `the database answered: ${message}`
}

/** Every error of the API: its status and its public title. Each is answered as problem+json (RFC 9457). */
export const catalogue = {
  'malformed-request': { status: 400, title: 'The request could not be read' },
  unauthorized: { status: 401, title: 'A valid access token is required' },
  forbidden: { status: 403, title: 'This client may not use this endpoint' },
  'not-found': { status: 404, title: 'There is no such endpoint' },
  'method-not-allowed': { status: 405, title: 'This endpoint does not take this method' },
  'not-acceptable': { status: 406, title: 'The Accept header allows no format that there is' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  gone: { status: 410, title: 'This version of the report is not kept any more' },
  'body-too-large': { status: 413, title: 'The request body is too large' },
  'unsupported-media-type': { status: 415, title: 'The request body must be JSON' },
  'invalid-parameters': { status: 422, title: 'Some parameters are invalid' },
  'too-many-requests': { status: 429, title: 'There were too many requests' },
  'headers-too-large': { status: 431, title: 'The headers of the request are too large' },
  'internal-error': { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'The service cannot answer just now' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof catalogue

/** One parameter that is wrong, and what to send instead. */
export interface FieldError {
  field: string
  message: string
}

interface ProblemOptions {
  /** For the caller: what was wrong in this request. */
  detail?: string
  errors?: FieldError[]
  headers?: Record<string, string>
  /** For the log only. */
  cause?: unknown
}

/** An answer that is an error. */
export class Problem extends Error {
  override name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  readonly detail: string | undefined
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, { detail, errors, headers = {}, cause }: ProblemOptions = {}) {
    super(detail ?? catalogue[code].title, { cause })
    this.code = code
    this.status = catalogue[code].status
    this.detail = detail
    this.errors = errors
    this.headers = headers
  }

  /** The body of the answer, as RFC 9457 has it. */
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
