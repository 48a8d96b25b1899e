/** Turns errors of access and of imports into responses. */
import { FilesGone, TooLarge } from '../../bring/bring.js'
import { MillbookError, Problem } from '../../errors.js'
import { hasState } from '../../sqlstate.js'
import { isDiskFailure } from '../../store/snapshots.js'

export function toAdminProblem(error: unknown): unknown {
  if (error instanceof TooLarge) return new Problem('body-too-large', { detail: sentence(error.message) })
  if (error instanceof FilesGone) return new Problem('does-not-exist', { detail: sentence(error.message) })
  if (error instanceof MillbookError)
    switch (error.kind) {
      case 'unknown': // the message is for the command line
        return new Problem('does-not-exist', {
          detail:
            'The requested entry does not exist; it may have ended or been deleted meanwhile. Load the list again.',
        })
      case 'conflict':
        return new Problem('conflict', { detail: sentence(error.message) })
      case 'invalid':
        return new Problem('invalid-parameters', { detail: sentence(error.message) })
    }
  // A login that may not even connect is fatal for its session.
  if (hasState(error, 'insufficient_privilege') && (error as { severity?: string }).severity !== 'FATAL')
    return new Problem('conflict', {
      detail:
        'The database login of this service may not administer clients and users; use the command line with the login of the owner, or give the service the role for it (docs/hardening.md).',
      cause: error,
    })
  if (isDiskFailure(error))
    return new Problem('unavailable', {
      detail: "The service's disk has no room for the file; try again later, or with smaller files.",
      cause: error,
    })
  return error
}

/** Capitalizes the first word, except a name. */
const sentence = (message: string): string =>
  `${message.replace(/^(?:a|the|there|these|this|you|something)\b/, (first) => first[0]?.toUpperCase() + first.slice(1))}.`
