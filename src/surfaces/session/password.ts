/** POST /session/password: a person changes their own password, with the old one. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { audit } from '../../access/audit.js'
import { changeOwnPassword } from '../../access/sessions.js'
import type { Guard } from '../../access/sign-in.js'
import type { FoundToken } from '../../access/tokens.js'
import { checkPassword } from '../../access/users.js'
import type { Db } from '../../db/connect.js'
import { type FieldError, MillbookError, Problem } from '../../errors.js'
import { addressOf } from '../../http/origin.js'
import { setSession } from '../../http/session-cookie.js'

const FIELDS = ['old_password', 'new_password'] as const
type Sent = Record<(typeof FIELDS)[number], string>

/** The limits on guessing are those of the sign-in page. Returns how many tokens and app passwords ended. */
export async function changeByPerson(
  { db, guard }: { db: Db; guard: Guard },
  { caller, groups }: FoundToken,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const username = caller.username as string // a session is always a person's
  const { old_password, new_password } = readSent(request.body, username)
  const address = addressOf(request)
  const user = await guard.user(username, old_password, address)
  if (user === undefined) {
    await audit(db, {
      ...{ act: 'token.refuse', actor: username, client: caller.name, username, address },
      detail: { grant: 'new_password' },
    })
    throw new Problem('invalid-parameters', {
      errors: [{ field: 'old_password', message: 'is not your password; type the one with which you signed in' }],
    })
  }
  const changed = await changeOwnPassword(db, {
    ...{ username, groups, proof: user.proof, password: new_password, address },
  })
  if (changed === undefined)
    throw new Problem('conflict', {
      detail: 'Your password was changed elsewhere meanwhile, or you were disabled; sign in again.',
    })
  setSession(request, reply, changed.token)
  return changed.ended
}

function readSent(body: unknown, username: string): Sent {
  const sent = (body ?? {}) as Record<string, unknown>
  const errors: FieldError[] = []
  for (const field of FIELDS)
    if (typeof sent[field] !== 'string' || sent[field] === '' || sent[field].includes('\0'))
      errors.push({ field, message: 'is required and must be text without NUL' })
  for (const field of Object.keys(sent))
    if (!FIELDS.some((one) => one === field))
      errors.push({ field: field.slice(0, 60), message: `is not a field here; there are ${FIELDS.join(', ')}` })
  if (errors.length === 0) {
    const { old_password, new_password } = sent as Sent
    if (old_password === new_password) errors.push({ field: 'new_password', message: 'must not be the old password' })
    else
      try {
        checkPassword(username, new_password)
      } catch (error) {
        if (!(error instanceof MillbookError)) throw error
        errors.push({ field: 'new_password', message: `is not accepted: ${error.message}` })
      }
  }
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  return sent as Sent
}
