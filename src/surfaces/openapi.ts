/** Shared by the surfaces' parts of the OpenAPI document: helpers, and the error responses of the catalogue. */
import { catalogue, type ProblemCode } from '../errors.js'
import type { JsonSchema } from '../kernel/report/json-schema.js'

/** A surface's part of the OpenAPI document. */
export interface OpenApiPart {
  readonly tags?: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, JsonSchema>>
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  readonly securitySchemes?: Readonly<Record<string, JsonSchema>>
}

/** A request of a report and a record of its response. */
export interface Example {
  readonly request: Readonly<Record<string, unknown>>
  readonly record: Readonly<Record<string, unknown>>
}

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const text = (description: string): JsonSchema => ({ type: 'string', description })
export const json = (schema: JsonSchema, example?: unknown): JsonSchema => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

/**
 * The `security` of an operation that reads with a token of this scope, or with an app password. Tools take the first scheme, which
 * only needs a token; for all operations at once, the Postman converter would send a token to public operations too.
 */
export const tokenOf = (...scopes: string[]): JsonSchema[] => [{ bearer: [] }, { oauth2: scopes }, { appPassword: [] }]

/** Errors that no operation of the document has: for requests that match no operation, and for the console's own requests. */
const WITHOUT_OPERATION: readonly ProblemCode[] = [
  ...(['not-found', 'method-not-allowed'] as const),
  ...(['sign-in-failed', 'csrf-token-required', 'link-ended', 'not-implemented'] as const),
]
/** Errors that only operations other than reports have. */
const NOT_OF_REPORTS: readonly ProblemCode[] = ['does-not-exist', 'conflict']

const codes = (Object.keys(catalogue) as ProblemCode[]).filter((code) => !WITHOUT_OPERATION.includes(code))
const ofStatus = (status: number) => codes.filter((code) => catalogue[code].status === status)

const ofReports = codes.filter((code) => !NOT_OF_REPORTS.includes(code))

/** References to error responses, by status: all that a report can return, or only these. */
export const problemResponses = (only: readonly ProblemCode[] = ofReports): Record<string, JsonSchema> =>
  Object.fromEntries(only.map((code) => [catalogue[code].status, { $ref: `#/components/responses/${named(code)}` }]))

/** Errors of one status share a response, which has the name of the first. */
const named = (code: ProblemCode) => ofStatus(catalogue[code].status)[0] ?? code

/** The components that `problemResponses` refers to. */
export const problemComponents = {
  responses: Object.fromEntries(
    [...new Set(codes.map((code) => catalogue[code].status))].map(ofStatus).map((codes) => [
      codes[0],
      {
        description: codes.map((code) => catalogue[code].title).join('; or: '),
        content: {
          'application/problem+json': {
            schema: ref('Problem'),
            examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
          },
        },
      },
    ]),
  ),
  schemas: {
    Problem: {
      type: 'object',
      description: 'An error (RFC 9457).',
      properties: {
        type: text('Identifies the kind of error.'),
        title: text('The kind of error in words.'),
        status: { type: 'integer', description: 'The HTTP status.' },
        detail: text('The reason why this request failed, and what to do.'),
        errors: { type: 'array', description: 'Every invalid parameter.', items: ref('ParameterError') },
        request_id: text('Identifies the request in the log; also in the header X-Request-Id.'),
      },
      required: ['type', 'title', 'status', 'request_id'],
    },
    ParameterError: {
      type: 'object',
      description: 'An invalid parameter.',
      properties: { field: text('Name of the parameter.'), message: text('The error, and what to send instead.') },
      required: ['field', 'message'],
    },
  },
}

function problemExample(code: ProblemCode): JsonSchema {
  const { status, title } = catalogue[code]
  const errors = [{ field: 'from_date', message: 'must be a calendar date as YYYY-MM-DD, not "2026-02-30"' }]
  return {
    type: `urn:millbook:problem:${code}`,
    title,
    status,
    ...(code === 'invalid-parameters' && { errors }),
    request_id: 'r3Jm0cXw9TqA-1041',
  }
}
