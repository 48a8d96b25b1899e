/** Lowers the priority of this process: a load can wait, requests to the service should not. */
import { constants, setPriority } from 'node:os'

export function giveWay(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // the system does not allow it
  }
}
