/** A service that starts waits for a database that is away, and fails at once for a reason that does not pass. */
import { expect, it } from 'vitest'
import { NotMigrated } from '../../src/db/migrate.js'
import { MillbookError } from '../../src/errors.js'
import { waitForDatabase } from '../../src/runtime/start-wait.js'

/** Fails with this error the first two times. */
async function start(error: Error, startWaitSeconds = 30) {
  let tries = 0
  const work = async () => {
    if (++tries < 3) throw error
    return 'started'
  }
  const outcome = await waitForDatabase({ logLevel: 'silent', startWaitSeconds }, work).catch((thrown) => thrown)
  return { outcome, tries }
}

const failed = (code?: string, message = 'said by the driver') =>
  new MillbookError('cannot use PostgreSQL', {
    cause: Object.assign(new Error('no connection', { cause: Object.assign(new Error(message), { code }) }), {
      code: 'CONNECTION_FAILED',
    }),
  })
const refused = (code: string) =>
  new MillbookError('cannot use PostgreSQL', { cause: Object.assign(new Error('no'), { code, severity: 'FATAL' }) })

it.concurrent.each([
  ['a refused connection', failed('ECONNREFUSED')],
  ['a name that is not known yet', failed('ENOTFOUND')],
  ['a server that does not respond', failed(undefined, 'timeout expired')],
  ['a server that is starting', refused('57P03')],
  ['a server without a free connection', refused('53300')],
  ['a schema that another login has to migrate', new NotMigrated('run millbook migrate')],
])('waits for %s', async (_name, error) => {
  expect(await start(error)).toEqual({ outcome: 'started', tries: 3 })
})

it.each([
  ['a wrong password', refused('28P01')],
  ['a login that may not connect', refused('42501')],
  ['a missing database', refused('3D000')],
  ['a certificate that is not trusted', failed('SELF_SIGNED_CERT_IN_CHAIN')],
  ['a fault of the program', new TypeError('x is not a function')],
])('fails at once for %s', async (_name, error) => {
  expect(await start(error)).toEqual({ outcome: error, tries: 1 })
})

it('fails when the time is over', async () => {
  const error = failed('ECONNREFUSED')
  expect(await start(error, 0)).toEqual({ outcome: error, tries: 1 })
})
