/** The worker thread that runs the embedded engine and answers on its socket; started by open.ts. */
import { chmodSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { SharedSession } from './share.js'

const { directory, socket } = workerData as { directory: string; socket: string }
const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread')

const engine = await PGlite.create(directory)
const shared = new SharedSession(engine)
const sockets = new Set<Socket>()
const server = createServer((connection) => {
  sockets.add(connection)
  connection.once('close', () => sockets.delete(connection))
  shared.serve(connection)
})
await new Promise<void>((resolve, reject) => {
  server.once('error', reject)
  server.listen(socket, resolve)
})
chmodSync(socket, 0o600)

port.once('message', async () => {
  server.close()
  for (const connection of sockets) connection.destroy()
  await engine.close()
  port.postMessage('closed')
  port.close()
})
port.postMessage('ready')
