/**
 * SIGHUP does not end a service that is still starting: the program imports this file before any other, and the service acts on the signal
 * once it runs.
 */
import { isatty } from 'node:tty'

const terminals = [0, 1, 2].filter((fd) => isatty(fd))
let early = false
const note = () => {
  early = true
}

if (['serve', 'demo'].includes(process.argv[2] ?? '')) process.on('SIGHUP', note)

/** Calls `handle` for every SIGHUP, also for one that came before this call; `closed` says that the terminal was closed. */
export function onHangup(handle: (closed: boolean) => void): void {
  const heard = () => handle(!terminals.every((fd) => isatty(fd)))
  process.on('SIGHUP', heard)
  process.off('SIGHUP', note)
  if (early) heard()
}
