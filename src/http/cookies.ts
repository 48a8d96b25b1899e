/** Cookies of this service: no script reads them, no other site sends them, and over https no other host can set them. */
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The parts of a request that show who sends it. */
export type Presented = Pick<FastifyRequest, 'headers' | 'protocol'>

/** With the prefix, browsers take the cookie only over https, from this host, for all of its paths (RFC 6265bis §4.1.3.2). */
const named = (name: string, { protocol }: Presented): string => (protocol === 'https' ? `__Host-${name}` : name)

export function cookieOf(request: Presented, name: string): string | undefined {
  const start = `${named(name, request)}=`
  const found = request.headers.cookie?.split(/; */).find((cookie) => cookie.startsWith(start))
  return found?.slice(start.length)
}

/** Values must be of characters that a cookie can hold, such as base64url. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  value: string,
  seconds: number,
): void {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  const cookie = `${named(name, request)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
  reply.header('set-cookie', cookie)
}

export const clearCookie = (request: FastifyRequest, reply: FastifyReply, name: string): void =>
  setCookie(request, reply, name, '', 0)
