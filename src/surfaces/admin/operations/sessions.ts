/** Sessions: lists the valid tokens of clients and people, and ends one. */
import { hashToken } from '../../../access/secrets.js'
import { endTokenById, type ListedToken, listTokens } from '../../../access/token-list.js'
import { sessionToken } from '../../../http/session-cookie.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { text } from '../../openapi.js'
import { Optional, Text, Whole } from '../fields.js'
import { all, flag, listOf, operation, textOrNull, time } from '../operation.js'

const MOST = 500

const json = (token: ListedToken) => ({
  id: token.id,
  kind: token.kind,
  client_id: token.clientId,
  client: token.client,
  username: token.username,
  groups: token.groups,
  created_at: token.createdAt,
  expires_at: token.expiresAt,
  address: token.address,
  current: token.current,
})

export const sessions = [
  operation({
    method: 'GET',
    path: '/sessions',
    id: 'adminSessions',
    summary: 'The valid tokens, newest first',
    description: 'The tokens of the client `console` are the sessions of people in the console.',
    query: {
      client_id: Optional(Text(100, 'Only tokens of this client.', 'console')),
      user: Optional(Text(100, 'Only tokens of this user.', 'asha')),
      limit: Optional(Whole(1, MOST, `Number of tokens at most; ${MOST} by default.`, 100)),
    },
    result: all({ sessions: listOf('AdminSession'), more: flag('Whether there are older ones.') }),
    async run({ services: { database }, request, query }) {
      const { tokens, more } = await listTokens(database.db, {
        ...(query.client_id !== undefined && { clientId: query.client_id }),
        ...(query.user !== undefined && { username: query.user }),
        asking: hashToken(sessionToken(request) ?? ''),
        limit: query.limit ?? MOST,
      })
      return { sessions: tokens.map(json), more }
    },
  }),
  operation({
    method: 'DELETE',
    path: '/sessions/:id',
    id: 'adminEndSession',
    summary: 'End a token',
    description: 'Ending a refresh token also ends the access tokens that came from it.',
    result: all({ id: text('Its id.') }),
    run: ({ params: { id = '' }, by, change }) =>
      change(async (tx) => {
        await endTokenById(tx, id, by)
        return { id }
      }),
  }),
]

export const sessionSchemas: Record<string, JsonSchema> = {
  AdminSession: all({
    id: text('Identifies the token in requests; reveals nothing about it.'),
    kind: { type: 'string', enum: ['access', 'refresh'], description: 'The kind of token.' },
    client_id: text('Id of the client.'),
    client: text('Name of the client.'),
    username: textOrNull('The user whom the client acts for; null if there is none.'),
    groups: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Groups that the client requested; null for all.',
    },
    created_at: time('When it was issued.'),
    expires_at: time('When it expires.'),
    address: textOrNull('IP address that the token was issued to; null if it is not known.'),
    current: flag('Whether this is your own session.'),
  }),
}
