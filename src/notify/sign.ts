/** Signatures of webhooks, by Standard Webhooks (symmetric, version 1). */
import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`

/** The header `webhook-signature`: a signature by each secret, so that a receiver may know either one. */
export const signature = (id: string, timestamp: number, body: string, secrets: readonly string[]): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
    })
    .join(' ')
