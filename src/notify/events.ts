/** The kinds of events, and which webhooks take them. */
import { raw } from '../db/sql.js'

export const EVENTS = ['data.version', 'webhook.disabled'] as const
export type EventType = (typeof EVENTS)[number]

/** Events stay in the log of deliveries for this long. */
export const KEPT_DAYS = 30

/** The condition that the webhook `w` takes the event `e`. */
export const TAKES = raw(`
  (w.events is null or e.type = any (w.events))
  and case e.type when 'data.version' then (e.data ->> 'version')::bigint > w.since_version else e.at >= w.created_at end`)
