/** A worker process: answers requests on the connections that it is handed, until it gets the message to end. */
import './worker-first.js'

import type { Socket } from 'node:net'
import { useArgon2Cost } from '../access/secrets.js'
import { connect } from '../db/connect.js'
import { checkSchema } from '../db/migrate.js'
import { inWords } from '../errors.js'
import { readSamples } from '../metrics/registry.js'
import { makeApp, type ServiceSettings } from './service.js'
import { limitsOf } from './settings.js'
import { connectionsOfEach } from './shares.js'
import { waitForDatabase } from './start-wait.js'
import { type FromWorker, type ToWorker, WORKER_SETTINGS } from './worker-process.js'

const settings = JSON.parse(process.env[WORKER_SETTINGS] ?? '') as ServiceSettings
delete process.env[WORKER_SETTINGS]

const send = (message: FromWorker) => new Promise<void>((sent) => process.send?.(message, () => sent()))

try {
  useArgon2Cost(settings.argon2)
  const options = { ...connectionsOfEach(settings.workers), limits: limitsOf(settings) }
  const database = await waitForDatabase(settings, () => connect(settings.target, options))
  await waitForDatabase(settings, () => checkSchema(database.db)) // after an upgrade and a reload, a worker may be newer than its parent process
  const app = await makeApp(database, settings)
  await app.ready()
  app.server.emit('listening') // Node enforces request timeouts only after this event, which never comes by itself here
  process.on('message', async (message: ToWorker, socket?: Socket) => {
    if ('connection' in message) {
      if (socket !== undefined) app.server.emit('connection', socket)
      await send({ taken: message.connection })
      return
    }
    if ('cancel' in message) return app.cancel()
    if ('samples' in message) return await send({ samples: readSamples() })
    if (message.end === 'drained') await app.drain()
    await app.close()
    await send({ samples: readSamples() })
    await database.close()
    process.exit(0)
  })
  app.log.info('worker is ready')
  await send({ ready: true })
} catch (error) {
  await send({ failed: inWords(error) })
  process.exit(1)
}
