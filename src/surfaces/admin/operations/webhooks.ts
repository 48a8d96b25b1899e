/** Webhooks: list, create, rotate, enable, delete, their messages, and sending messages again. */
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { EVENTS, KEPT_DAYS } from '../../../notify/events.js'
import {
  createWebhook,
  deleteWebhook,
  deliveryJson,
  enableWebhook,
  findWebhook,
  listDeliveries,
  listWebhooks,
  OVERLAP_SECONDS,
  replay,
  rotateSecret,
  webhookJson,
} from '../../../notify/webhooks.js'
import { ref, text } from '../../openapi.js'
import { Moment, Optional, OrNull, Text, Whole, Words } from '../fields.js'
import { all, count, listOf, operation, textOrNull, time, timeOrNull } from '../operation.js'

const SECRET = text('Signs the messages. Shown once.')

export const webhooks = [
  operation({
    method: 'GET',
    path: '/webhooks',
    id: 'adminWebhooks',
    summary: 'All webhooks',
    result: all({ webhooks: listOf('AdminWebhook') }),
    run: async ({ services: { database } }) => ({ webhooks: (await listWebhooks(database.quick)).map(webhookJson) }),
  }),
  operation({
    method: 'POST',
    path: '/webhooks',
    id: 'adminCreateWebhook',
    summary: 'Create a webhook',
    description:
      'Messages follow [Standard Webhooks](https://www.standardwebhooks.com). The URL is `https:`; for a private address that `serve --private-webhooks` names, also `http:`.',
    body: {
      name: Text(100, 'Its name.', 'Warehouse'),
      url: Text(2000, 'Where messages are sent.', 'https://warehouse.example/millbook'),
      events: Optional(OrNull(Words(EVENTS, 'The events that it gets; null for all.', ['data.version']))),
    },
    result: all({ webhook: ref('AdminWebhook'), secret: SECRET }),
    run: ({ body, by, change }) =>
      change(async (tx) => {
        const { webhook, secret } = await createWebhook(tx, body, by)
        return { webhook: webhookJson(webhook), secret }
      }),
  }),
  operation({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    id: 'adminRotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description: 'Until the overlap is over, messages have two signatures, one by each secret.',
    body: {
      overlap_seconds: Optional(
        Whole(0, 90 * 86_400, 'Seconds for which the old secret signs too, 86400 by default; 0 ends it now.', 3600),
      ),
    },
    result: all({ webhook: ref('AdminWebhook'), secret: SECRET }),
    run: ({ params: { id = '' }, body, by, change }) =>
      change(async (tx) => {
        const { webhook, secret } = await rotateSecret(tx, id, body.overlap_seconds ?? OVERLAP_SECONDS, by)
        return { webhook: webhookJson(webhook), secret }
      }),
  }),
  operation({
    method: 'POST',
    path: '/webhooks/:id/enable',
    id: 'adminEnableWebhook',
    summary: 'Send messages to a disabled webhook again',
    result: all({ webhook: ref('AdminWebhook') }),
    run: ({ params: { id = '' }, by, change }) =>
      change(async (tx) => {
        await enableWebhook(tx, id, by)
        return { webhook: webhookJson(await findWebhook(tx, id)) }
      }),
  }),
  operation({
    method: 'DELETE',
    path: '/webhooks/:id',
    id: 'adminDeleteWebhook',
    summary: 'Delete a webhook with the log of its messages',
    result: all({ id: text('Its id.'), name: text('Its name.') }),
    run: ({ params: { id = '' }, by, change }) =>
      change(async (tx) => {
        const webhook = await deleteWebhook(tx, id, by)
        return { id: webhook.id, name: webhook.name }
      }),
  }),
  operation({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    id: 'adminWebhookDeliveries',
    summary: `The newest messages to a webhook, of the last ${KEPT_DAYS} days`,
    query: { limit: Optional(Whole(1, 1000, 'The most messages, 100 by default.', 100)) },
    result: all({ deliveries: listOf('AdminDelivery') }),
    run: async ({ services: { database }, params: { id = '' }, query: { limit = 100 } }) => ({
      deliveries: (await listDeliveries(database.quick, id, limit)).map(deliveryJson),
    }),
  }),
  operation({
    method: 'POST',
    path: '/webhooks/:id/replay',
    id: 'adminReplayWebhook',
    summary: 'Send messages to a webhook again',
    description:
      'Without fields: the messages that failed. With `since`: all messages since then that have not arrived, also those while the webhook was disabled.',
    body: {
      message: Optional(Text(100, 'Only this message, even if it has arrived.', 'msg_0d4f…')),
      since: Optional(Moment('A day in UTC, or a time.', false)),
    },
    result: all({ messages: count('Number of messages that will be sent again.') }),
    run: ({ params: { id = '' }, body, by, change }) =>
      change(async (tx) => ({ messages: await replay(tx, id, body, by) })),
  }),
]

export const webhookSchemas: Record<string, JsonSchema> = {
  AdminWebhook: all({
    id: text('Id of the webhook, for the path of requests about it.'),
    name: text('Its name.'),
    url: text('Where messages are sent.'),
    events: {
      type: ['array', 'null'],
      items: { type: 'string', enum: EVENTS },
      description: 'The events that it gets; null for all.',
    },
    created_at: time('When it was created.'),
    old_secret_until: timeOrNull('Until when the old secret of a rotation signs too; null if there is none.'),
    failing_since: timeOrNull('Since when no attempt has succeeded; null if the last one did.'),
    disabled_at: timeOrNull('When it was disabled; null if it is active.'),
    disabled_why: textOrNull('Why it was disabled.'),
    pending: count('Number of messages that have not arrived yet.'),
    failed: count('Number of messages that did not arrive.'),
    last_delivered_at: timeOrNull('When a message last arrived; null if none has in the last days.'),
  }),
  AdminDelivery: all({
    id: text('The `webhook-id` of the message.'),
    type: { type: 'string', enum: EVENTS, description: 'The event.' },
    at: time('When it happened.'),
    state: { type: 'string', enum: ['pending', 'delivered', 'failed'] },
    data: { type: 'object', additionalProperties: true, description: 'What happened, as in the message.' },
    attempts: {
      type: 'array',
      items: all({
        at: time('When.'),
        status: { type: ['integer', 'null'], description: 'Status of the response; null if there was none.' },
        error: textOrNull('Why it failed; null if the message arrived.'),
      }),
    },
    next_attempt_at: timeOrNull('When it is sent next; null unless it is pending.'),
  }),
}
