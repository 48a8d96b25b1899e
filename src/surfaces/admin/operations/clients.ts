/** Clients: list, create, change, rotate, disable, enable, delete. */
import {
  type ClientSettings,
  CONSOLE,
  clientJson,
  createClient,
  createPublicClient,
  deleteClient,
  disableClient,
  enableClient,
  endOldSecret,
  findClient,
  GRANTS,
  listClients,
  revokeTokens,
  rotateSecret,
  updateClient,
} from '../../../access/clients.js'
import type { Tx } from '../../../db/connect.js'
import { MillbookError } from '../../../errors.js'
import { groups } from '../../../groups.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { ref, text } from '../../openapi.js'
import { type Fields, Flag, Optional, OrNull, Text, Texts, type Values, Whole, Words } from '../fields.js'
import { all, count, flag, listOf, maybe, operation, TOKENS_ENDED, time, timeOrNull } from '../operation.js'

/** Finds a client by its id alone, because another client may have that id as its name; returns its unique name. */
async function nameOf(tx: Tx, clientId: string | undefined): Promise<string> {
  const [client] = await tx<{ name: string }[]>`select name from api_client where client_id = ${clientId ?? ''}`
  if (client === undefined) throw new MillbookError('there is no such client', { kind: 'unknown' })
  return client.name
}

const clientOf = async (tx: Tx, name: string) => ({ client: clientJson(await findClient(tx, name)) })

function requireNotConsole(clientId: string | undefined, what: string): void {
  if (clientId === CONSOLE)
    throw new MillbookError(`the client of the console is built in and cannot be ${what} here`, { kind: 'conflict' })
}

const settings = {
  groups: Optional(
    OrNull(Words(groups, 'Groups of reports that the client may use; null for all.', ['sales', 'partner'])),
  ),
  hide_contacts: Optional(Flag('Send phone numbers and email addresses as empty strings.')),
  grants: Optional(Words(GRANTS, 'Grants that the client may use to get tokens.', ['client_credentials'])),
  rate: Optional(OrNull(Whole(1, 999_999_999, "Units a minute; null for the service's default.", 600))),
} satisfies Fields
const redirect_uris = Optional(
  Texts(20, 1000, 'URIs that people return to after signing in, for the grant authorization_code.', []),
)

const settingsOf = (sent: Values<typeof settings & { redirect_uris: typeof redirect_uris }>) =>
  ({
    ...(sent.groups !== undefined && { groups: sent.groups }),
    ...(sent.hide_contacts !== undefined && { hideContacts: sent.hide_contacts }),
    ...(sent.grants !== undefined && { grants: sent.grants }),
    ...(sent.rate !== undefined && { rate: sent.rate }),
    ...(sent.redirect_uris !== undefined && { redirectUris: sent.redirect_uris }),
  }) satisfies Partial<ClientSettings>

const SECRET = text('Shown once: the database stores only its hash.')

export const clients = [
  operation({
    method: 'GET',
    path: '/clients',
    id: 'adminClients',
    summary: 'All clients',
    result: all({ clients: listOf('AdminClient') }),
    run: async ({ services: { database } }) => ({ clients: (await listClients(database.db)).map(clientJson) }),
  }),
  operation({
    method: 'POST',
    path: '/clients',
    id: 'adminCreateClient',
    summary: 'Create a client',
    description: 'The secret is shown once. A public client has no secret and needs `redirect_uris`.',
    body: {
      name: Text(100, 'Its name.', 'Nightly pull'),
      public: Optional(
        Flag("Create the client without a secret: for a program on people's machines or in their browsers."),
      ),
      ...settings,
      redirect_uris,
    },
    result: maybe(all({ client: ref('AdminClient') }), { client_secret: SECRET }),
    run: ({ body, by, change }) =>
      change(async (tx) => {
        const about = { name: body.name, ...settingsOf(body) }
        if (body.public && about.redirectUris === undefined)
          throw new MillbookError(
            'a public client needs redirect_uris, to which people return after signing in; send at least one',
          )
        if (body.public) {
          await createPublicClient(tx, about, by)
          return await clientOf(tx, body.name)
        }
        const { clientSecret } = await createClient(tx, about, by)
        return { ...(await clientOf(tx, body.name)), client_secret: clientSecret }
      }),
  }),
  operation({
    method: 'PATCH',
    path: '/clients/:client_id',
    id: 'adminChangeClient',
    summary: 'Change the settings of a client',
    description: 'Fields that are left out stay as they are. Removing a grant ends the tokens that were issued by it.',
    body: { ...settings, redirect_uris },
    result: all({
      client: ref('AdminClient'),
      changed: { type: 'array', items: { type: 'string' }, description: 'The settings that changed.' },
      tokens_ended: TOKENS_ENDED,
    }),
    run: ({ params, body, by, change }) =>
      change(async (tx) => {
        const name = await nameOf(tx, params['client_id'])
        const { changed, ended } = await updateClient(tx, name, settingsOf(body), by)
        return { ...(await clientOf(tx, name)), changed: Object.keys(changed), tokens_ended: ended }
      }),
  }),
  operation({
    method: 'POST',
    path: '/clients/:client_id/rotate-secret',
    id: 'adminRotateSecret',
    summary: 'Give a client a new secret',
    description: 'The new secret is shown once. The old one stays valid for the overlap; tokens stay valid.',
    body: {
      overlap_seconds: Optional(
        Whole(0, 90 * 86_400, 'Seconds for which the old secret stays valid, 86400 by default; 0 ends it now.', 3600),
      ),
    },
    result: all({
      client: ref('AdminClient'),
      client_secret: SECRET,
      ended_early: timeOrNull(
        'When an even older secret would have expired; this rotation ended it. Null if there was none.',
      ),
    }),
    run: ({ params, body, by, change }) =>
      change(async (tx) => {
        const name = await nameOf(tx, params['client_id'])
        const { clientSecret, endedEarly } = await rotateSecret(tx, name, body.overlap_seconds ?? 86_400, by)
        return { ...(await clientOf(tx, name)), client_secret: clientSecret, ended_early: endedEarly }
      }),
  }),
  operation({
    method: 'POST',
    path: '/clients/:client_id/end-old-secret',
    id: 'adminEndOldSecret',
    summary: 'End the old secret of a rotation before its time',
    result: all({ client: ref('AdminClient') }),
    run: ({ params, by, change }) =>
      change(async (tx) => {
        const name = await nameOf(tx, params['client_id'])
        await endOldSecret(tx, name, by)
        return await clientOf(tx, name)
      }),
  }),
  operation({
    method: 'POST',
    path: '/clients/:client_id/disable',
    id: 'adminDisableClient',
    summary: 'Disable a client, and end its tokens',
    result: all({ client: ref('AdminClient'), tokens_ended: TOKENS_ENDED }),
    run: ({ params, by, change }) =>
      change(async (tx) => {
        requireNotConsole(params['client_id'], 'disabled')
        const name = await nameOf(tx, params['client_id'])
        const ended = await disableClient(tx, name, by)
        return { ...(await clientOf(tx, name)), tokens_ended: ended ?? 0 }
      }),
  }),
  operation({
    method: 'POST',
    path: '/clients/:client_id/enable',
    id: 'adminEnableClient',
    summary: 'Enable a disabled client; its old tokens stay ended',
    result: all({ client: ref('AdminClient') }),
    run: ({ params, by, change }) =>
      change(async (tx) => {
        const name = await nameOf(tx, params['client_id'])
        await enableClient(tx, name, by)
        return await clientOf(tx, name)
      }),
  }),
  operation({
    method: 'POST',
    path: '/clients/:client_id/revoke-tokens',
    id: 'adminRevokeTokensOfClient',
    summary: 'End all tokens of a client; it may get new ones',
    description:
      'The tokens of the client `console` are the sessions of all people in the console, including your own.',
    result: all({ client: ref('AdminClient'), tokens_ended: TOKENS_ENDED }),
    run: ({ params, by, change }) =>
      change(async (tx) => {
        const name = await nameOf(tx, params['client_id'])
        const ended = await revokeTokens(tx, name, by)
        return { ...(await clientOf(tx, name)), tokens_ended: ended }
      }),
  }),
  operation({
    method: 'DELETE',
    path: '/clients/:client_id',
    id: 'adminDeleteClient',
    summary: 'Delete a client and its tokens; the audit trail keeps its name',
    result: all({ client_id: text('Its id.'), name: text('Its name.'), tokens_ended: TOKENS_ENDED }),
    run: ({ params, by, change }) =>
      change(async (tx) => {
        requireNotConsole(params['client_id'], 'deleted')
        const name = await nameOf(tx, params['client_id'])
        return { client_id: params['client_id'], name, tokens_ended: await deleteClient(tx, name, by) }
      }),
  }),
]

export const clientSchemas: Record<string, JsonSchema> = {
  AdminClient: all({
    client_id: text('Id of the client, for the path of requests about it.'),
    name: text('Its name.'),
    public: flag('Whether it has no secret.'),
    groups: { type: ['array', 'null'], items: { type: 'string' }, description: 'Null for all groups.' },
    hide_contacts: flag('Whether phone numbers and email addresses come as empty strings.'),
    grants: { type: 'array', items: { type: 'string' }, description: 'Grants that the client may use to get tokens.' },
    rate: { type: ['integer', 'null'], description: "Units a minute; null for the service's default." },
    redirect_uris: {
      type: 'array',
      items: { type: 'string' },
      description: 'URIs that people return to after signing in.',
    },
    created_at: time('When it was created.'),
    disabled_at: timeOrNull('When it was disabled; null if it is active.'),
    old_secret_until: timeOrNull('When the old secret of a rotation ends; null if there is none.'),
    tokens: count('Number of valid tokens of the client.'),
    last_token_at: timeOrNull('When it last got a token; null if never.'),
  }),
}
