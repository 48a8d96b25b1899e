/** Responses of the OAuth 2 endpoints (RFC 6749 §5), and the errors of the library in words. */
import { OAuthError } from '@node-oauth/oauth2-server'
import { GRANTS } from '../../access/clients.js'
import { Problem } from '../../errors.js'

export interface OAuthResponse {
  status: number
  headers: Record<string, string | string[]>
  body: Record<string, unknown>
}

/** RFC 6749 §5.1: no cache may store responses with tokens. */
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

export const success = (body: Record<string, unknown>): OAuthResponse => ({ status: 200, headers: noStore, body })

/** An error response (RFC 6749 §5.2). */
export const failure = (
  status: number,
  error: string,
  description: string,
  headers: OAuthResponse['headers'] = {},
): OAuthResponse => ({
  status,
  headers: { ...noStore, ...headers },
  // RFC 6749 §5.2 allows these characters only, and no double quote.
  body: {
    error,
    error_description: description.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?'),
  },
})

/** RFC 6749 §5.2: 401 with a challenge if client authentication failed. */
export const unauthenticated = (description: string): OAuthResponse =>
  failure(401, 'invalid_client', description, { 'www-authenticate': 'Basic realm="millbook"' })

/** Turns a problem into an OAuth error; RFC 6749 has no code for a rate limit at the token endpoint. */
export function failureFrom(problem: Problem): OAuthResponse {
  const retryLater = problem.status === 429 || problem.status === 503
  const code = retryLater ? 'temporarily_unavailable' : 'invalid_request'
  return failure(problem.status, code, problem.detail ?? problem.message, problem.headers)
}

export async function withOAuthErrors(work: () => Promise<OAuthResponse>): Promise<OAuthResponse> {
  try {
    return await work()
  } catch (error) {
    const problem = error instanceof OAuthError ? (error as { inner?: unknown }).inner : error
    if (problem instanceof Problem) return failureFrom(problem)
    if (!(error instanceof OAuthError) || error.name === 'server_error') throw error
    if (error.name === 'invalid_client') return unauthenticated(explain(error.message))
    // RFC 6749 §5.2; the library calls it an invalid request.
    const name = error.message === OTHER_REDIRECT ? 'invalid_grant' : error.name
    return failure(error.code, name, explain(error.message))
  }
}

const SEND_CREDENTIALS =
  'Send client_id and client_secret in the body, or as HTTP Basic credentials; a public client sends client_id alone.'
const NEEDED_BY_PASSWORD = 'the password grant needs username and password.'
const NEEDED_BY_CODE = 'the authorization code grant needs code, redirect_uri and code_verifier.'

const OTHER_REDIRECT = 'Invalid request: `redirect_uri` is invalid'

/** The library's errors, each with an instruction for the caller. */
const explanations: Readonly<Record<string, string>> = {
  'Invalid client: client is invalid':
    'The client_id is unknown, the client_secret is wrong, or the client is disabled; check both, or ask the operator for a new secret.',
  'Invalid client: cannot retrieve client credentials': SEND_CREDENTIALS,
  'Missing parameter: `client_id`': SEND_CREDENTIALS,
  'Missing parameter: `client_secret`': SEND_CREDENTIALS,
  'Missing parameter: `grant_type`': `grant_type is missing; send ${GRANTS.join(' or ')}.`,
  'Missing parameter: `username`': `username is missing; ${NEEDED_BY_PASSWORD}`,
  'Missing parameter: `password`': `password is missing; ${NEEDED_BY_PASSWORD}`,
  'Missing parameter: `refresh_token`':
    'refresh_token is missing; send the one from the response to the password grant or the authorization code grant.',
  'Missing parameter: `code`': `code is missing; ${NEEDED_BY_CODE}`,
  'Missing parameter: `code_verifier`': `code_verifier is missing; ${NEEDED_BY_CODE} The code cannot be used again.`,
  'Invalid request: `redirect_uri` is not a valid URI': `redirect_uri is missing or not a URI; ${NEEDED_BY_CODE} The code cannot be used again.`,
  [OTHER_REDIRECT]:
    'redirect_uri differs from the authorization request; send the same value. The code cannot be used again.',
  'Invalid grant: authorization code is invalid':
    'The code is unknown, has expired after 60 seconds, was used before, or was issued to another client; let the person sign in again.',
  'Invalid grant: code verifier is invalid':
    'The code_verifier does not match the code_challenge of the authorization request; let the person sign in again.',
  'Invalid grant: user credentials are invalid':
    'The username is unknown, the password is wrong, or the user is disabled; check both, or ask the operator for a new password.',
  'Invalid grant: refresh token is invalid':
    'The refresh token is unknown, expired or revoked, or was replaced by a newer one; get a new one by the password grant, or let the person sign in again.',
  'Invalid grant: refresh token was issued to another client':
    'The refresh token was issued to another client; use the credentials of that client.',
  'Invalid scope: Requested scope is invalid':
    'This client or this user may not use every group in scope; leave scope out for all groups that both may use, or name groups separated by spaces.',
  'Invalid scope: Unable to add extra scopes':
    'scope names a group that the refresh token was not issued for; leave scope out, or name fewer groups.',
}

function explain(message: string): string {
  const [, invalid] = /^Invalid parameter: `(\w+)`$/.exec(message) ?? []
  if (invalid !== undefined) return `${invalid} contains a character that is not allowed; check its value.`
  return explanations[message] ?? message
}
