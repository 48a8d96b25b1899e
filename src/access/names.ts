/** Names of clients, users and app passwords: the rule for allowed names, and the error for an unknown name. */
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'

/** Names that people can type and read: no control or invisible characters, no space at either end, and not `.` or `..`. */
const NAME = /^(?! |\.{1,2}$)[^\p{Cc}\p{Cf}]{1,100}(?<! )$/u

type Kind = 'client' | 'user'

export function checkName(kind: Kind | 'app password' | 'webhook', name: string): void {
  if (!NAME.test(name))
    throw new MillbookError(
      `the name of ${kind === 'app password' ? 'an' : 'a'} ${kind} must be 1 to 100 printable characters, without a space at either end, and not . or ..`,
    )
}

export function unknownName(kind: Kind, name: string, known: readonly string[]): MillbookError {
  if (known.length === 0)
    return new MillbookError(
      `there is no ${kind} ${name}, because there are no ${kind}s yet; create one with millbook ${kind} create`,
      { kind: 'unknown' },
    )
  const hint = nearest(name, known) || `; millbook ${kind} list shows all ${kind}s`
  return new MillbookError(`there is no ${kind} ${name}${hint}`, { kind: 'unknown' })
}
