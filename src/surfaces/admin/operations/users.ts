/** Users: list, create, change, new password, disable, enable, delete. */

import { NONE_ENDED } from '../../../access/end-tokens.js'
import { protectOperators } from '../../../access/operators.js'
import { newSecret } from '../../../access/secrets.js'
import {
  changePassword,
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  findUser,
  listUsers,
  ROLES,
  revokeTokensOfUser,
  type UserSettings,
  updateUser,
  userJson,
} from '../../../access/users.js'
import type { Tx } from '../../../db/connect.js'
import { groups } from '../../../groups.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { ref, text } from '../../openapi.js'
import { type Fields, Flag, Optional, OrNull, Text, type Values, Word, Words } from '../fields.js'
import { all, count, ENDED, flag, listOf, maybe, operation, time, timeOrNull } from '../operation.js'

const userOf = async (tx: Tx, username: string) => ({ user: userJson(await findUser(tx, username)) })

const settings = {
  role: Optional(Word(ROLES, 'An operator may administer the service in the console.')),
  groups: Optional(OrNull(Words(groups, 'Groups of reports that the user may use; null for all.', ['sales']))),
  hide_contacts: Optional(Flag('Send phone numbers and email addresses as empty strings.')),
} satisfies Fields

const password = Optional(
  Text(1024, 'At least 8 characters; without it, the service generates a password and shows it once.', 'correct horse'),
)
const PASSWORD = text('The generated password, shown once; absent if you sent a password.')

const settingsOf = (sent: Values<typeof settings>) =>
  ({
    ...(sent.role !== undefined && { role: sent.role }),
    ...(sent.groups !== undefined && { groups: sent.groups }),
    ...(sent.hide_contacts !== undefined && { hideContacts: sent.hide_contacts }),
  }) satisfies Partial<UserSettings>

/** The password that was sent, or a new one to show. */
function choose(sent: string | undefined): { chosen: string; shown: { password?: string } } {
  const chosen = sent ?? newSecret().slice(0, 24)
  return { chosen, shown: sent === undefined ? { password: chosen } : {} }
}

export const users = [
  operation({
    method: 'GET',
    path: '/users',
    id: 'adminUsers',
    summary: 'All users',
    result: all({ users: listOf('AdminUser') }),
    run: async ({ services: { database } }) => ({ users: (await listUsers(database.db)).map(userJson) }),
  }),
  operation({
    method: 'POST',
    path: '/users',
    id: 'adminCreateUser',
    summary: 'Create a user',
    body: { username: Text(100, 'The name to sign in with.', 'asha'), password, ...settings },
    result: maybe(all({ user: ref('AdminUser') }), { password: PASSWORD }),
    run: ({ body, by, change }) => {
      const { chosen, shown } = choose(body.password)
      return change(async (tx) => {
        await createUser(tx, body.username, chosen, settingsOf(body), by)
        return { ...(await userOf(tx, body.username)), ...shown }
      })
    },
  }),
  operation({
    method: 'PATCH',
    path: '/users/:username',
    id: 'adminChangeUser',
    summary: 'Change the settings of a user, also for existing tokens',
    description: 'Fields that are left out stay as they are. You cannot take the role of an operator from yourself.',
    body: settings,
    result: all({
      user: ref('AdminUser'),
      changed: { type: 'array', items: { type: 'string' }, description: 'The settings that changed.' },
    }),
    run: ({ params: { username = '' }, body, by, change }) =>
      change(async (tx) => {
        if (body.role === 'reader') await protectOperators(tx, by.actor, username, 'take the role of an operator from')
        const changed = await updateUser(tx, username, settingsOf(body), by)
        return { ...(await userOf(tx, username)), changed: Object.keys(changed) }
      }),
  }),
  operation({
    method: 'POST',
    path: '/users/:username/password',
    id: 'adminSetPassword',
    summary: "Replace a user's password and end their tokens and app passwords",
    description: 'If you replace your own password, your session ends too: sign in again.',
    body: { password },
    result: maybe(all({ user: ref('AdminUser'), ...ENDED }), { password: PASSWORD }),
    run: ({ params: { username = '' }, body, by, change }) => {
      const { chosen, shown } = choose(body.password)
      return change(async (tx) => {
        const ended = await changePassword(tx, username, chosen, by)
        return { ...(await userOf(tx, username)), ...ended, ...shown }
      })
    },
  }),
  operation({
    method: 'POST',
    path: '/users/:username/disable',
    id: 'adminDisableUser',
    summary: 'Disable a user, and end their tokens and app passwords',
    result: all({ user: ref('AdminUser'), ...ENDED }),
    run: ({ params: { username = '' }, by, change }) =>
      change(async (tx) => {
        await protectOperators(tx, by.actor, username, 'disable')
        const ended = await disableUser(tx, username, by)
        return { ...(await userOf(tx, username)), ...(ended ?? NONE_ENDED) }
      }),
  }),
  operation({
    method: 'POST',
    path: '/users/:username/enable',
    id: 'adminEnableUser',
    summary: 'Enable a disabled user; their old tokens and app passwords stay ended',
    result: all({ user: ref('AdminUser') }),
    run: ({ params: { username = '' }, by, change }) =>
      change(async (tx) => {
        await enableUser(tx, username, by)
        return await userOf(tx, username)
      }),
  }),
  operation({
    method: 'POST',
    path: '/users/:username/revoke-tokens',
    id: 'adminRevokeTokensOfUser',
    summary: 'End all tokens of a user, sessions and app passwords too; clients may get new ones',
    result: all({ user: ref('AdminUser'), ...ENDED }),
    run: ({ params: { username = '' }, by, change }) =>
      change(async (tx) => {
        const ended = await revokeTokensOfUser(tx, username, by)
        return { ...(await userOf(tx, username)), ...ended }
      }),
  }),
  operation({
    method: 'DELETE',
    path: '/users/:username',
    id: 'adminDeleteUser',
    summary: 'Delete a user with their tokens and app passwords; the audit trail keeps the name',
    result: all({ username: text('The name.'), ...ENDED }),
    run: ({ params: { username = '' }, by, change }) =>
      change(async (tx) => {
        await protectOperators(tx, by.actor, username, 'delete')
        return { username, ...(await deleteUser(tx, username, by)) }
      }),
  }),
]

export const userSchemas: Record<string, JsonSchema> = {
  AdminUser: all({
    username: text('The name to sign in with; percent-encode it in the path of requests about the user.'),
    role: { type: 'string', enum: ROLES, description: 'An operator may administer the service.' },
    groups: { type: ['array', 'null'], items: { type: 'string' }, description: 'Null for all groups.' },
    hide_contacts: flag('Whether phone numbers and email addresses come as empty strings.'),
    created_at: time('When the user was created.'),
    disabled_at: timeOrNull('When the user was disabled; null if the user is active.'),
    tokens: count('Number of valid tokens that clients have for the user.'),
    last_token_at: timeOrNull('When a client last got a token for the user; null if never.'),
  }),
}
