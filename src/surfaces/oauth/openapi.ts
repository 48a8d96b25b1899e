/** The OAuth 2 endpoints and the security schemes in the OpenAPI document. */
import { ACCESS_TOKEN_SECONDS } from '../../access/tokens.js'
import { groups } from '../../groups.js'
import { CSRF_HEADER, SESSION_COOKIE } from '../../http/session-cookie.js'
import type { JsonSchema } from '../../kernel/report/json-schema.js'
import { json, type OpenApiPart, problemResponses, ref, text } from '../openapi.js'

export function oauthPart(origin: string): OpenApiPart {
  const tokenUrl = `${origin}/oauth2/token`
  const scopes = Object.fromEntries(groups.map((name) => [name, `Reports of the group ${name}`]))
  return {
    tags: [{ name: 'authentication', description: 'Obtain, refresh and revoke access tokens' }],
    paths: {
      '/oauth2/token': { post: tokenOperation },
      '/oauth2/revoke': { post: revokeOperation },
      '/.well-known/oauth-authorization-server': { get: metadataOperation },
      '/.well-known/oauth-protected-resource': { get: resourceOperation },
    },
    schemas,
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An access token from `POST /oauth2/token`.' },
      oauth2: {
        type: 'oauth2',
        description: 'OAuth 2. The scopes are the groups of reports.',
        flows: {
          password: { tokenUrl, refreshUrl: tokenUrl, scopes },
          clientCredentials: { tokenUrl, scopes },
          authorizationCode: {
            authorizationUrl: `${origin}/oauth2/authorize`,
            ...{ tokenUrl, refreshUrl: tokenUrl, scopes },
            'x-usePkce': 'SHA-256', // for Scalar's page at /docs
          },
        },
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: origin.startsWith('https:') ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE,
        description: `The session of the console, in place of a token; every request of a session needs the header \`${CSRF_HEADER}\` too.`,
      },
    },
  }
}

const client = { client_id: text("The client's id."), client_secret: text("The client's secret.") }

const scope = { scope: text('Groups of reports, separated by spaces, for a token that is limited to these groups.') }

/** `secret` is false if a public client, which has no secret, may use the grant. */
const grant = (
  description: string,
  grantType: string,
  properties: Record<string, JsonSchema>,
  { secret = true, optional = scope as Record<string, JsonSchema> } = {},
): JsonSchema => ({
  type: 'object',
  description,
  properties: {
    grant_type: { type: 'string', enum: [grantType], description: 'Names the grant.' },
    ...client,
    ...properties,
    ...optional,
  },
  required: ['grant_type', 'client_id', ...(secret ? ['client_secret'] : []), ...Object.keys(properties)],
})

const schemas: Record<string, JsonSchema> = {
  TokenRequest: {
    oneOf: ['PasswordGrant', 'RefreshTokenGrant', 'ClientCredentialsGrant', 'AuthorizationCodeGrant'].map(ref),
    discriminator: {
      propertyName: 'grant_type',
      mapping: {
        password: '#/components/schemas/PasswordGrant',
        refresh_token: '#/components/schemas/RefreshTokenGrant',
        client_credentials: '#/components/schemas/ClientCredentialsGrant',
        authorization_code: '#/components/schemas/AuthorizationCodeGrant',
      },
    },
  },
  PasswordGrant: grant('A token in the name of a user.', 'password', {
    username: text('Name of the user.'),
    password: text('Password of the user.'),
  }),
  RefreshTokenGrant: grant(
    'A new token in place of one that expires.',
    'refresh_token',
    {
      refresh_token: text('The refresh token from the response to the password grant or the authorization code grant.'),
    },
    { secret: false },
  ),
  ClientCredentialsGrant: grant("A token in the client's own name.", 'client_credentials', {}),
  AuthorizationCodeGrant: grant(
    'A token in the name of a user who signed in at `/oauth2/authorize`.',
    'authorization_code',
    {
      code: text('The code from the redirect; it works once, within 60 seconds.'),
      redirect_uri: text('The `redirect_uri` of the authorization request.'),
      code_verifier: text('The text whose SHA-256 was the `code_challenge` (RFC 7636).'),
    },
    { secret: false, optional: {} },
  ),
  Token: {
    type: 'object',
    properties: {
      access_token: text('Opaque; send it in the header `Authorization: Bearer`.'),
      expires_in: { type: 'integer', description: 'Seconds until the access token expires.' },
      token_type: { type: 'string', enum: ['Bearer'], description: 'The scheme of the Authorization header.' },
      scope: { type: ['string', 'null'], description: 'The groups that the token may use; null for all.' },
      refresh_token: text(
        'In responses to the password grant and the authorization code grant; for a public client also to the refresh grant, where it replaces the refresh token that was sent.',
      ),
    },
    required: ['access_token', 'expires_in', 'token_type', 'scope'],
  },
  RevokeRequest: {
    type: 'object',
    properties: {
      ...client,
      token: text('The access or refresh token.'),
      token_type_hint: text('Ignored: the service finds a token without it.'),
    },
    required: ['client_id', 'token'],
  },
  TokenError: {
    type: 'object',
    description: 'An error of the OAuth 2 endpoints (RFC 6749 §5.2).',
    properties: { error: text('Code of the error.'), error_description: text('The error in words.') },
    required: ['error'],
  },
  OAuthMetadata: {
    type: 'object',
    description: 'Authorization server metadata (RFC 8414).',
    properties: {
      issuer: text('The origin of this service.'),
      authorization_endpoint: text('URL of the page on which people sign in for a program.'),
      token_endpoint: text('URL of the token endpoint.'),
      revocation_endpoint: text('URL of the revocation endpoint.'),
      grant_types_supported: { type: 'array', items: { type: 'string' }, description: 'Grants of the token endpoint.' },
      scopes_supported: { type: 'array', items: { type: 'string' }, description: 'Groups of reports.' },
    },
    required: ['issuer', 'token_endpoint', 'revocation_endpoint'],
  },
  ResourceMetadata: {
    type: 'object',
    description: 'Protected resource metadata (RFC 9728).',
    properties: {
      resource: text('The origin of this service.'),
      authorization_servers: {
        type: 'array',
        items: { type: 'string' },
        description: 'Issuers of its tokens: this service.',
      },
      scopes_supported: { type: 'array', items: { type: 'string' }, description: 'Groups of reports.' },
    },
    required: ['resource'],
  },
}

/** The endpoint also accepts forms, but with two media types openapi-python-client makes a module that cannot be imported. */
const body = (name: string, example: JsonSchema): JsonSchema => ({ required: true, content: json(ref(name), example) })

const errors = (badRequest: string): JsonSchema => ({
  ...problemResponses(['request-timeout', 'headers-too-large', 'internal-error']),
  ...Object.fromEntries(
    Object.entries({
      400: badRequest,
      401: 'The client is unknown, or its secret is wrong.',
      413: 'The request body is too large.',
      415: 'The request body must be JSON or a form.',
      429: 'There were too many failed attempts; Retry-After says how long to wait.',
      503: 'The service is overloaded; Retry-After says how long to wait.',
    }).map(([status, description]) => [status, { description, content: json(ref('TokenError')) }]),
  ),
})

const tokenOperation = {
  operationId: 'token',
  tags: ['authentication'],
  summary: 'Obtain or refresh an access token',
  description: `The password grant returns an access token and a refresh token. The refresh grant returns an access token; the refresh
token stays valid until it expires after 30 days or is revoked. The client credentials grant returns a token in the client's own name, if
the client may use it. The authorization code grant exchanges a code from \`/oauth2/authorize\` (PKCE with S256 is required). A public
client sends no secret; each of its refresh tokens works once, and the response has the next one. The body may also be a form, and the client's id and secret may come by HTTP Basic instead of in the body.`,
  requestBody: body('TokenRequest', {
    grant_type: 'password',
    client_id: '<CLIENT_ID>',
    client_secret: '<CLIENT_SECRET>',
    username: '<ACCOUNT_USERNAME>',
    password: '<ACCOUNT_PASSWORD>',
  }),
  responses: {
    200: {
      description: 'A token. Caches must not store it (`Cache-Control: no-store`).',
      content: json(ref('Token'), {
        access_token: '<ACCESS_TOKEN>',
        expires_in: ACCESS_TOKEN_SECONDS,
        token_type: 'Bearer',
        scope: null,
        refresh_token: '<REFRESH_TOKEN>',
      }),
    },
    ...errors('The request or the grant is not valid.'),
  },
}

const revokeOperation = {
  operationId: 'revoke',
  tags: ['authentication'],
  summary: 'Revoke a token',
  description: `RFC 7009. Revoking a refresh token revokes all access tokens that came from it; revoking an access token revokes no other token. An
unknown token is no error. The body may also be a form, and the client's id and secret may come by HTTP Basic instead of in the body.`,
  requestBody: body('RevokeRequest', {
    client_id: '<CLIENT_ID>',
    client_secret: '<CLIENT_SECRET>',
    token: '<ACCESS_TOKEN>',
  }),
  responses: {
    200: { description: 'The token does not work any more, or never did.', content: json({ type: 'object' }) },
    ...errors("The request is not valid, or the token is another client's."),
  },
}

const metadataOperation = {
  operationId: 'oauthMetadata',
  tags: ['authentication'],
  summary: 'Metadata of the OAuth 2 endpoints (RFC 8414)',
  responses: { 200: { description: 'The metadata.', content: json(ref('OAuthMetadata')) } },
}

const resourceOperation = {
  operationId: 'resourceMetadata',
  tags: ['authentication'],
  summary: 'Metadata of the protected reports (RFC 9728)',
  responses: { 200: { description: 'The metadata.', content: json(ref('ResourceMetadata')) } },
}
