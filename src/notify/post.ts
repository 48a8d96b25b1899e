/** Sends a message to the URL of a webhook: to addresses that it may reach, within a time, and without following redirects. */
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { BlockList, LookupFunction } from 'node:net'
import { isAmong, isPublicAddress, lookUpOnce, networksOf } from '../network.js'

/** A receiver has this time to respond. */
const LIMIT_MS = 15_000
/** Response bodies are not used; a connection with a larger one is closed. */
const LARGEST_BODY = 64 * 1024

export interface Posted {
  readonly status: number
  /** Seconds until the receiver wants the next attempt. */
  readonly retryAfter: number | undefined
}

export interface Reach {
  /** The private addresses that webhooks may reach. */
  readonly privately: BlockList
  /** For tests: the certificate of a receiver, and another limit. */
  readonly ca?: string
  readonly limitMs?: number
}

export const reachOf = (networks: readonly string[]): Reach => ({ privately: networksOf(networks) })

/** Rejects with a sentence for people if no response arrives. */
export async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  { privately, ca, limitMs = LIMIT_MS }: Reach,
  stop: AbortSignal,
): Promise<Posted> {
  const late = AbortSignal.timeout(limitMs)
  const signal = AbortSignal.any([late, stop])
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () =>
      reject(new Error(late.aborted ? `no response within ${limitMs / 1000} s` : 'the service was stopped')),
    ),
  )
  const work = async () => {
    const { addresses, lookup } = await lookUpOnce(url.hostname)
    if (addresses.length === 0) throw new Error(`the host ${url.hostname} is unknown`)
    const isPrivate = addresses.filter((address) => !isPublicAddress(address))
    const refused = isPrivate.find((address) => !isAmong(privately, address))
    if (refused !== undefined)
      throw new Error(
        `${url.hostname} has the private address ${refused}, which serve --private-webhooks does not name`,
      )
    if (url.protocol === 'http:' && isPrivate.length < addresses.length)
      throw new Error(`${url.hostname} has a public address, which needs https`)
    return await send(url, { headers, lookup, signal, ...(ca !== undefined && { ca }) }, body)
  }
  return await Promise.race([work(), aborted])
}

interface Sending {
  readonly headers: Readonly<Record<string, string>>
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
  readonly ca?: string
}

function send(url: URL, options: Sending, body: string): Promise<Posted> {
  const request = url.protocol === 'https:' ? requestTls : requestPlain
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, method: 'POST', agent: false }, (response) => {
      let size = 0
      response.on('data', (piece: Buffer) => {
        size += piece.length
        if (size > LARGEST_BODY) sent.destroy()
      })
      response.on('error', () => {})
      resolve({ status: response.statusCode ?? 0, retryAfter: secondsOf(response.headers['retry-after']) })
    })
    sent.on('error', (error: NodeJS.ErrnoException) => reject(new Error(inWords(error, url))))
    sent.end(body)
  })
}

function inWords({ code = '', message }: NodeJS.ErrnoException, { host }: URL): string {
  if (code === 'ECONNREFUSED') return `${host} refused the connection`
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${host} closed the connection without a response`
  if (/CERT|TLS|SSL/.test(code)) return `the certificate of ${host} is not valid: ${message}`
  return `${host} could not be reached: ${code || message}`
}

/** `Retry-After`: seconds, or a date. */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined
}
