/** The operating system's user: the actor of what the command line does. */
import { userInfo } from 'node:os'

export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? '?'}` // many containers run as a user without a name
  }
}
