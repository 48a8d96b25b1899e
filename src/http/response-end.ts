/** Tells when an answer is over: sent whole, or lost with its connection. */
import type { ServerResponse } from 'node:http'

const ACTIONS = Symbol('what to do when it is over')
type Answer = ServerResponse & { [ACTIONS]?: (() => void)[] | 'over' }

/** At once where it is over. One listener for all: with one each, listening took a tenth of the time of a request. */
export function whenOver(answer: ServerResponse, action: () => void): void {
  const known = (answer as Answer)[ACTIONS]
  if (known === 'over') action()
  else if (known !== undefined) known.push(action)
  else {
    ;(answer as Answer)[ACTIONS] = [action]
    answer.on('close', end)
  }
}

function end(this: Answer): void {
  const actions = this[ACTIONS]
  this[ACTIONS] = 'over'
  if (actions !== undefined && actions !== 'over') for (const action of actions) action()
}
