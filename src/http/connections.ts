/** Ends connections without a running request when the service closes: they would hold it up. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

export function closeIdleConnections(app: FastifyInstance): void {
  const open = new Set<Socket>()
  const idle = new Set<Socket>()
  let closing = false
  app.server.on('connection', (socket) => {
    open.add(socket)
    idle.add(socket) // also one that never sends anything, as browsers and load balancers keep ready
    socket.once('close', () => {
      open.delete(socket)
      idle.delete(socket)
    })
  })
  app.addHook('onRequest', async (request) => {
    idle.delete(request.raw.socket)
  })
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request) => {
    if (open.has(request.raw.socket)) idle.add(request.raw.socket)
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const socket of idle) socket.destroy()
  })
}
