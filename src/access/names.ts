/** What clients and users may be called, and what is said about a name that no one has. */
import { MillbookError } from '../errors.js'
import { nearest } from '../nearest.js'

/** A name that can be typed and shown: no control characters, nothing invisible, no space at its ends. */
const NAME = /^(?! )[^\p{Cc}\p{Cf}]{1,100}(?<! )$/u

type Kind = 'client' | 'user'

export function checkName(kind: Kind, name: string): void {
  if (!NAME.test(name)) throw new MillbookError(`the name of a ${kind} is 1 to 100 printable characters`)
}

export function unknownName(kind: Kind, name: string, known: readonly string[]): MillbookError {
  if (known.length === 0)
    return new MillbookError(`there is no ${kind} ${name}, nor any other: millbook ${kind} create makes one`)
  const hint = nearest(name, known) || `; millbook ${kind} list shows those that there are`
  return new MillbookError(`there is no ${kind} ${name}${hint}`)
}
