/** A worker process: answers requests until workers.ts, which started it, tells it to end or is gone. */
import type { AddressInfo } from 'node:net'
import { useArgon2Cost } from '../access/secrets.js'
import { connect } from '../db/connect.js'
import { checkSchema } from '../db/migrate.js'
import { inWords } from '../errors.js'
import { answer, type ServiceSettings } from './service.js'
import { connectionsOfEach, type Order, SETTINGS, type Told } from './workers.js'

// A terminal or a supervisor may send these to all processes; the one that started this one decides.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})

const settings = JSON.parse(process.env[SETTINGS] ?? '') as ServiceSettings
delete process.env[SETTINGS]

const tell = (told: Told) => new Promise<void>((sent) => process.send?.(told, () => sent()))

try {
  useArgon2Cost(settings.argon2)
  const database = await connect(settings.target, connectionsOfEach(settings.workers))
  await checkSchema(database.db) // after a reload this may be a newer program than the one that started it
  const app = await answer(database, settings)
  process.on('message', async (order: Order) => {
    if (order === 'let go') await app.letGo()
    await app.close()
    await database.close()
    process.exit(0)
  })
  await tell({ address: app.server.address() as AddressInfo })
} catch (error) {
  await tell({ failed: inWords(error) })
  process.exit(1)
}
