/** The worker thread that runs the embedded engine and serves its socket; started by open.ts. */
import { chmodSync } from 'node:fs'
import { createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { SharedSession } from './share.js'
import { startEngine } from './start.js'

const { directory, socket } = workerData as { directory: string; socket: string }
const port = parentPort
if (port === null) throw new Error('this file runs as a worker thread')

const engine = await startEngine(directory)
// Throw outside of any promise: the thread ends, and its process shuts down.
const fail = (error: Error) =>
  void setImmediate(() => {
    throw error
  })
const shared = new SharedSession(engine, fail)
const server = createServer((connection) => shared.serve(connection))
await new Promise<void>((resolve, reject) => {
  server.once('error', reject)
  server.listen(socket, resolve)
})
chmodSync(socket, 0o600)

port.once('message', async () => {
  server.close()
  await shared.end()
  await engine.close()
  port.postMessage('closed')
  port.close()
})
port.postMessage('ready')
