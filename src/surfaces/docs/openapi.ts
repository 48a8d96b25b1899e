/** The OpenAPI 3.1 document, derived from the list of reports and the catalogue of errors. */

import { ACCESS_TOKEN_SECONDS } from '../../access/tokens.js'
import { catalogue, type ProblemCode } from '../../errors.js'
import { envelopeSchemas } from '../../formats/json.js'
import { groups as scopes } from '../../groups.js'
import { exampleOf, type JsonSchema, schemaOf } from '../../kernel/fields.js'
import { pageParams } from '../../kernel/paging.js'
import type { Params } from '../../kernel/params.js'
import type { Report, Shape } from '../../kernel/report.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})
const string = (description: string) => ({ type: 'string', description })

const about = `Reports over the inventory, sales, purchase and production data of one manufacturing account. Every report gives the same
answer to the same question: all stock figures are sums over one ledger.

**To call a report**: get a token from \`POST /oauth2/token\`, then send it as \`Authorization: Bearer <access_token>\`.

**Numbers**: quantities and amounts are strings with a fixed number of fraction digits, so that no program rounds them by
accident. **Dates** are calendar dates of the account's time zone, and both ends of a range are part of it.

**Pages**: \`?page=\` and \`?per-page=\` work on every report. A report that has a page size of its own answers with page 1
when neither is sent, any other with all its records. \`_meta\` and the \`X-Pagination-*\` headers say how many records there
are; a page past the end is empty. \`next\` and \`last\` hold on to the version of the data that the first page had: following
them gives every record once, also while new data is loaded. When that version is not kept any more, the answer is 410.

**Caching**: every answer has an \`ETag\`; sent back as \`If-None-Match\`, it is answered with 304 and no body as long as the data
has not changed. \`X-Data-Version\` counts the loads. Answers are compressed with what \`Accept-Encoding\` allows (br, gzip, zstd).

**Rates**: a client may use so many units a minute; a request takes one, that of a heavy report more. The headers \`RateLimit\`
and \`RateLimit-Policy\` say what is left, and past it the answer is 429 with \`Retry-After\`.

**Errors** are \`application/problem+json\` (RFC 9457): each names what was wrong and what to send instead.`

const scopeTexts = Object.fromEntries(scopes.map((name) => [name, `Reports of the group ${name}`]))

export function openapi(reports: readonly Report[]): JsonSchema {
  const groups = [...new Set(reports.map((report) => report.group))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millbook',
      version: '1',
      summary: 'Reports over the inventory, sales, purchase and production data of one manufacturing account',
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: [
      { name: 'authentication', description: 'Obtain, refresh and revoke access tokens' },
      ...groups.map((name) => ({ name, description: `Reports of the group ${name}` })),
      { name: 'service', description: 'State of the service' },
    ],
    paths: {
      '/oauth2/token': { post: tokenOperation },
      '/oauth2/revoke': { post: revokeOperation },
      '/.well-known/oauth-authorization-server': { get: metadataOperation },
      ...Object.fromEntries(
        reports.map((report) => [report.path, { [report.method.toLowerCase()]: operation(report) }]),
      ),
      '/healthz': { get: healthOperation('health', 'The process answers', false) },
      '/readyz': { get: healthOperation('ready', 'The database answers and has the right schema', true) },
    },
    components: {
      securitySchemes: {
        token: {
          type: 'oauth2',
          description:
            'OAuth 2; the access token goes into the Authorization header. The scopes are the groups of reports.',
          flows: {
            password: { tokenUrl: '/oauth2/token', refreshUrl: '/oauth2/token', scopes: scopeTexts },
            clientCredentials: { tokenUrl: '/oauth2/token', scopes: scopeTexts },
          },
        },
      },
      schemas: { Problem: problemSchema, TokenError: tokenErrorSchema, ...envelopeComponents },
      responses: Object.fromEntries(
        Object.entries(catalogue).map(([code, { status, title }]) => [
          code,
          {
            description: title,
            content: {
              'application/problem+json': {
                schema: ref('Problem'),
                example: {
                  type: `urn:millbook:problem:${code}`,
                  title,
                  status,
                  ...(code === 'invalid-parameters' && {
                    errors: [
                      { field: 'from_date', message: 'must be a calendar date as YYYY-MM-DD, not "2026-02-30"' },
                    ],
                  }),
                  request_id: 'r3Jm0cXw9TqA-1041',
                },
              },
            },
          },
        ]),
      ),
    },
  }
}

const errorResponses = (...codes: ProblemCode[]) =>
  Object.fromEntries(codes.map((code) => [catalogue[code].status, { $ref: `#/components/responses/${code}` }]))

function operation(report: Report): JsonSchema {
  const paged = report.perPage !== undefined
  const required = Object.values(report.request).some((param) => param.required)
  const schema = requestSchema(report.request)
  const example = Object.fromEntries(
    Object.entries(report.request).flatMap(([name, p]) => (p.required ? [[name, p.example]] : [])),
  )
  return {
    operationId: report.id.replace('.', '_').replaceAll('-', '_'),
    tags: [report.group],
    summary: report.summary,
    description: `${report.description}\n\n${
      paged
        ? `Paginated, ${report.perPage} records on a page.`
        : 'All records in one answer unless a page is asked for.'
    }${report.cost > 1 ? ` A request takes ${report.cost} units of the client's rate.` : ''}`,
    parameters: [
      ...(report.method === 'GET' ? queryParameters(report.request) : []),
      ...queryParameters(pageParams as Params),
    ],
    requestBody: {
      description:
        report.method === 'GET'
          ? 'The same parameters as in the query string; each in one of the two.'
          : 'The parameters.',
      required: required && report.method === 'POST',
      content: json(schema, example),
    },
    responses: {
      200: {
        description: 'The records.',
        headers: { ...paginationHeaders, ...editionHeaders, ...rateHeaders },
        content: {
          'application/json': { schema: responseSchema(report, paged), examples: responseExamples(report, paged) },
        },
      },
      304: { description: 'The answer is what `If-None-Match` names: nothing has changed.', headers: editionHeaders },
      ...errorResponses(
        'malformed-request',
        'unauthorized',
        'forbidden',
        'gone',
        'request-timeout',
        'body-too-large',
        'unsupported-media-type',
        'invalid-parameters',
        'too-many-requests',
        'internal-error',
        'unavailable',
      ),
    },
  }
}

const requestSchema = (params: Params): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(params).map(([name, param]) => [name, param.schema])),
  required: Object.entries(params).flatMap(([name, param]) => (param.required ? [name] : [])),
  additionalProperties: false,
})

const queryParameters = (params: Params) =>
  Object.entries(params).map(([name, { schema, required }]) => {
    const { description, ...rest } = schema
    return { name, in: 'query', required, description, schema: rest }
  })

function responseSchema(report: Report, paged: boolean): JsonSchema {
  const data = ({ record }: Shape) => ({ type: 'array', items: schemaOf(record) })
  const answers = [...report.shapes].map(([name, shape]) => ({
    type: 'object',
    ...(name !== '' && { title: `${report.shapedBy} = ${name}` }),
    properties: { data: data(shape), _links: ref('Links'), _meta: ref('Meta') },
    required: paged ? ['data', '_links', '_meta'] : ['data'],
    additionalProperties: false,
  }))
  return answers.length === 1 ? (answers[0] as JsonSchema) : { anyOf: answers }
}

function responseExamples(report: Report, paged: boolean): JsonSchema {
  const href = (page: number) => ({ href: `https://millbook.example${report.path}?page=${page}` })
  const rest = paged && {
    _links: { self: href(1), first: href(1), last: href(1) },
    _meta: { totalCount: 1, pageCount: 1, currentPage: 1, perPage: report.perPage },
  }
  return Object.fromEntries(
    [...report.shapes].map(([name, shape]) => [
      name || 'answer',
      { value: { data: [exampleOf(shape.record)], ...rest } },
    ]),
  )
}

const envelopeComponents = { Links: envelopeSchemas._links, Meta: envelopeSchemas._meta }

const paginationHeaders = Object.fromEntries(
  Object.entries({
    'X-Pagination-Total-Count': 'Records of all pages.',
    'X-Pagination-Page-Count': 'Pages.',
    'X-Pagination-Current-Page': 'Number of this page, from 1.',
    'X-Pagination-Per-Page': 'Records on a full page.',
  }).map(([name, text]) => [name, { description: `On pages only. ${text}`, schema: { type: 'integer' } }]),
)

const editionHeaders = {
  ETag: {
    description: 'Names this answer at this version of the data, for `If-None-Match`.',
    schema: { type: 'string', examples: ['W/"3q2-7wAAAAAAAAAAAAAAAAAAAA"'] },
  },
  'X-Data-Version': {
    description: 'The version of the data that the answer shows; every load makes a new one.',
    schema: { type: 'string', examples: ['17'] },
  },
}

const rateHeaders = {
  'RateLimit-Policy': {
    description: "The client's rate: `q` units in `w` seconds.",
    schema: { type: 'string', examples: ['"client";q=6000;w=60'] },
  },
  RateLimit: {
    description: 'What is left of it: `r` units, for `t` seconds.',
    schema: { type: 'string', examples: ['"client";r=5990;t=42'] },
  },
}

const problemSchema = {
  type: 'object',
  description: 'An error (RFC 9457).',
  properties: {
    type: string('Identifies the kind of error.'),
    title: string('The kind of error in words.'),
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: string('What was wrong with this request.'),
    errors: {
      type: 'array',
      description: 'Every parameter that is wrong.',
      items: {
        type: 'object',
        properties: { field: string('Its name.'), message: string('What is wrong and what to send instead.') },
        required: ['field', 'message'],
      },
    },
    request_id: string('Identifies the request in the log; also in the header X-Request-Id.'),
  },
  required: ['type', 'title', 'status', 'request_id'],
}

const tokenErrorSchema = {
  type: 'object',
  description: 'An error of the token endpoint (RFC 6749 §5.2).',
  properties: { error: string('Code of the error.'), error_description: string('The error in words.') },
  required: ['error'],
}

const scopeAsked = string('Groups of reports, separated by spaces, to get a token for these only.')

const tokenRequest = {
  anyOf: [
    {
      title: 'Password grant',
      type: 'object',
      properties: {
        grant_type: { const: 'password' },
        client_id: string("The client's id."),
        client_secret: string("The client's secret."),
        username: string('Name of the user.'),
        password: string('Password of the user.'),
        scope: scopeAsked,
      },
      required: ['grant_type', 'client_id', 'client_secret', 'username', 'password'],
    },
    {
      title: 'Refresh grant',
      type: 'object',
      properties: {
        grant_type: { const: 'refresh_token' },
        client_id: string("The client's id."),
        client_secret: string("The client's secret."),
        refresh_token: string('From the answer to the password grant.'),
        scope: scopeAsked,
      },
      required: ['grant_type', 'client_id', 'client_secret', 'refresh_token'],
    },
    {
      title: 'Client credentials grant',
      type: 'object',
      properties: {
        grant_type: { const: 'client_credentials' },
        client_id: string("The client's id."),
        client_secret: string("The client's secret."),
        scope: scopeAsked,
      },
      required: ['grant_type', 'client_id', 'client_secret'],
    },
  ],
}

const tokenOperation = {
  operationId: 'token',
  security: [],
  tags: ['authentication'],
  summary: 'Obtain or refresh an access token',
  description: `The password grant returns an access token and a refresh token; the refresh grant returns an access token only, and
the refresh token goes on working until it expires after 30 days or is revoked. A client that is allowed it gets a token in its own name
by the client credentials grant. JSON or form body; the client's id and secret may come by HTTP Basic instead.`,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: tokenRequest,
        example: {
          grant_type: 'password',
          client_id: '<CLIENT_ID>',
          client_secret: '<CLIENT_SECRET>',
          username: '<ACCOUNT_USERNAME>',
          password: '<ACCOUNT_PASSWORD>',
        },
      },
      'application/x-www-form-urlencoded': { schema: tokenRequest },
    },
  },
  responses: {
    200: {
      description: 'A token. Not to be stored by anyone on the way (`Cache-Control: no-store`).',
      content: json(
        {
          type: 'object',
          properties: {
            access_token: string('Opaque; goes into the header Authorization: Bearer.'),
            expires_in: { type: 'integer', description: 'Seconds until the access token expires.' },
            token_type: { const: 'Bearer' },
            scope: {
              anyOf: [{ type: 'string' }, { type: 'null' }],
              description: 'The groups the client may use; null for all.',
            },
            refresh_token: string('From the password grant only.'),
          },
          required: ['access_token', 'expires_in', 'token_type', 'scope'],
        },
        {
          access_token: '<ACCESS_TOKEN>',
          expires_in: ACCESS_TOKEN_SECONDS,
          token_type: 'Bearer',
          scope: null,
          refresh_token: '<REFRESH_TOKEN>',
        },
      ),
    },
    400: { description: 'The request or the grant is not valid.', content: json(ref('TokenError')) },
    401: { description: 'The client is unknown, or its secret is wrong.', content: json(ref('TokenError')) },
    413: { description: catalogue['body-too-large'].title, content: json(ref('TokenError')) },
    415: { description: 'The body must be JSON or a form.', content: json(ref('TokenError')) },
    429: {
      description: 'There were too many failed attempts; Retry-After says how long to wait.',
      content: json(ref('TokenError')),
    },
    ...errorResponses('request-timeout', 'internal-error', 'unavailable'),
  },
}

const revokeRequest = {
  type: 'object',
  properties: {
    client_id: string("The client's id."),
    client_secret: string("The client's secret."),
    token: string('The access or refresh token.'),
    token_type_hint: string('Not needed: a token is found without it.'),
  },
  required: ['client_id', 'client_secret', 'token'],
}

const revokeOperation = {
  operationId: 'revoke',
  security: [],
  tags: ['authentication'],
  summary: 'Revoke a token',
  description: `RFC 7009. An access token ends alone, a refresh token together with all access tokens that came from it. JSON or form body; the
client's id and secret may come by HTTP Basic instead. A token that is not known is no error.`,
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: revokeRequest,
        example: { client_id: '<CLIENT_ID>', client_secret: '<CLIENT_SECRET>', token: '<ACCESS_TOKEN>' },
      },
      'application/x-www-form-urlencoded': { schema: revokeRequest },
    },
  },
  responses: {
    200: { description: 'The token does not work any more, or never did.', content: json({ type: 'object' }) },
    400: {
      description: "The request is not valid, or the token is another client's.",
      content: json(ref('TokenError')),
    },
    401: tokenOperation.responses[401],
    413: tokenOperation.responses[413],
    415: tokenOperation.responses[415],
    429: tokenOperation.responses[429],
    ...errorResponses('internal-error', 'unavailable'),
  },
}

const metadataOperation = {
  operationId: 'oauth_metadata',
  security: [],
  tags: ['authentication'],
  summary: 'What the OAuth 2 endpoints are and can do (RFC 8414)',
  responses: { 200: { description: 'The metadata.', content: json({ type: 'object' }) } },
}

const healthOperation = (operationId: string, summary: string, mayFail: boolean) => {
  const state = (words: string[], reason: boolean) =>
    json({
      type: 'object',
      properties: { status: { enum: words }, ...(reason && { reason: string('What is missing.') }) },
      required: ['status'],
    })
  return {
    operationId,
    tags: ['service'],
    summary,
    security: [],
    responses: {
      200: { description: 'Yes.', content: state([mayFail ? 'ready' : 'ok'], false) },
      ...(mayFail && { 503: { description: 'Not now.', content: state(['not ready'], true) } }),
    },
  }
}
