/** Redirect URIs: checks them at registration, and matches the one of a request (RFC 6749 §3.1.2, RFC 8252, RFC 9700 §2.1). */
import { MillbookError } from '../errors.js'

/** An http URI of the machine itself, by IP address: a name such as localhost may resolve elsewhere (RFC 8252 §8.3). */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/

/** Throws if a program may not be sent codes at this URI. */
export function checkRedirectUri(uri: string): void {
  const refused = (reason: string) => new MillbookError(`the redirect URI ${uri.slice(0, 200)} ${reason}`)
  if (!/^[\x21-\x7e]{1,1000}$/.test(uri) || !URL.canParse(uri) || /[\\<>"^`{|}]/.test(uri))
    throw refused('is not an absolute URI; write it as https://program.example/callback')
  const { protocol, username, password } = new URL(uri)
  if (uri.includes('#')) throw refused('has a fragment; leave out # and the text after it')
  if (username !== '' || password !== '') throw refused('has a user name or a password; leave them out')
  if (protocol === 'https:' || LOOPBACK.test(uri)) return
  if (protocol === 'http:')
    throw refused('sends codes without TLS; use https, or http://127.0.0.1 for a program on the same machine')
  // RFC 8252 §7.1: a reversed domain name, which no scheme of a browser is.
  if (!protocol.includes('.'))
    throw refused('has a scheme that other programs may use; use https, or a scheme such as com.example.program')
}

/** Whether a client may be sent to `uri`: exactly as registered, but for the port of a loopback address (RFC 8252 §7.3). */
export function isRegistered(uri: string, registered: readonly string[], origin: string): boolean {
  return registered.some((one) => {
    if (one.startsWith('/')) return uri === `${origin}${one}`
    return uri === one || (LOOPBACK.test(one) && withoutPort(uri) === withoutPort(one))
  })
}

const withoutPort = (uri: string): string | undefined => {
  const [, host, rest] = LOOPBACK.exec(uri) ?? []
  return host === undefined ? undefined : `${host}${rest}`
}
