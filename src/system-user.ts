/** The operating system's user, whom the audit trail names as the actor of commands. */
import { userInfo } from 'node:os'

export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? '?'}` // many containers run as a user without a name
  }
}
