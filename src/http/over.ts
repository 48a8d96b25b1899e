/** Tells when an answer is over: sent whole, or lost with its connection. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const ACTIONS = Symbol('what to do when it is over')
type Answer = ServerResponse & { [ACTIONS]?: (() => void)[] }

/** One listener for all who want to know: with one each, listening took a tenth of the time of a request. */
export function whenOver(answer: ServerResponse, action: () => void): void {
  const known = (answer as Answer)[ACTIONS]
  if (known !== undefined) {
    known.push(action)
    return
  }
  ;(answer as Answer)[ACTIONS] = [action]
  answer.once('close', end)
}

function end(this: Answer): void {
  for (const action of this[ACTIONS]?.splice(0) ?? []) action()
}

/**
 * Where requests were piled up on a connection, Node does not tell their answers of its end: here they are told. More
 * than `most` of them end it.
 */
export function tellPiledUp(server: Server, most: number): void {
  const waiting = new WeakMap<Socket, Set<Answer>>()
  server.on('request', ({ socket }, answer: Answer) => {
    let here = waiting.get(socket)
    if (here === undefined) {
      const all = new Set<Answer>()
      here = all
      waiting.set(socket, all)
      socket.once('close', () => {
        for (const one of all) end.call(one)
      })
    }
    const answers = here
    answers.add(answer)
    whenOver(answer, () => answers.delete(answer))
    if (answers.size > most) socket.destroy()
  })
}
