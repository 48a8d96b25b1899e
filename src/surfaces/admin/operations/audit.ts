/** The audit trail, newest first, page by page. */
import { newestEntries, type PastEntry } from '../../../access/audit.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { text } from '../../openapi.js'
import { Moment, Optional, Text, Whole } from '../fields.js'
import { all, listOf, operation, textOrNull, time } from '../operation.js'

const MOST = 500
const USUAL = 100

const json = ({ username, ...entry }: PastEntry) => ({
  ...{ id: entry.id, at: entry.at, act: entry.act, actor: entry.actor },
  ...{ client: entry.client, user: username, address: entry.address, detail: entry.detail },
})

export const auditTrail = [
  operation({
    method: 'GET',
    path: '/audit',
    id: 'adminAudit',
    summary: 'The audit trail, newest first',
    query: {
      act: Optional(Text(100, 'Only this act; `*` matches any text.', 'client.*')),
      client: Optional(Text(100, 'Only entries about this client, by name or id.', 'Nightly pull')),
      user: Optional(Text(100, 'Only entries about this user.', 'asha')),
      from: Optional(Moment('Only entries from this day (UTC) or time on.', false)),
      to: Optional(Moment('Only entries up to the end of this day (UTC), or before this time.', true)),
      before: Optional(Whole(1, Number.MAX_SAFE_INTEGER, 'Only entries older than the one with this id.', 1041)),
      limit: Optional(Whole(1, MOST, `Number of entries at most; ${USUAL} by default.`, USUAL)),
    },
    result: all({
      entries: listOf('AdminAuditEntry'),
      next: textOrNull('Send it as `before` to get older entries; null if there are none.'),
    }),
    async run({ services: { database }, query: { act, client, user, from, to, before, limit = USUAL } }) {
      const { entries, more } = await newestEntries(database.db, {
        ...(act !== undefined && { act }),
        ...(client !== undefined && { client }),
        ...(user !== undefined && { username: user }),
        ...(from !== undefined && { since: from }),
        ...(to !== undefined && { until: to }),
        ...(before !== undefined && { before: String(before) }),
        limit,
      })
      return { entries: entries.map(json), next: more ? (entries.at(-1)?.id ?? null) : null }
    },
  }),
]

export const auditSchemas: Record<string, JsonSchema> = {
  AdminAuditEntry: all({
    id: text('Its number.'),
    at: time('When.'),
    act: text('The act, such as `client.create`.'),
    actor: text("The operator or client over HTTP, or the system's user at a command line."),
    client: textOrNull('The client that the entry is about, by its name at that time.'),
    user: textOrNull('The user that the entry is about.'),
    address: textOrNull('IP address of the actor; null for a command line.'),
    detail: { type: 'object', description: 'Details of the act; never a secret.', additionalProperties: true },
  }),
}
