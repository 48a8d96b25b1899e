/**
 * Mends the `postgres` driver after it was installed. In 3.4.9 a transaction whose connection is lost goes on to write its
 * rollback to that connection, which throws where no one can catch it: the whole service would end when a database is
 * restarted under load (https://github.com/porsager/postgres/issues/1154). Here such a statement fails like any other.
 * Fails where the driver is not the one that it knows.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('connection.js', import.meta.resolve('postgres'))
const changes = [
  {
    before: '  function execute(q) {\n    if (terminated)',
    after:
      "  function execute(q) {\n    if (!socket)\n      return (queryError(q, Errors.connection('CONNECTION_CLOSED', options)), true)\n\n    if (terminated)",
  },
  {
    before: '    incomings = null\n    clearImmediate(nextWriteTimer)\n',
    after: '    incomings = null\n    clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n',
  },
]

let text = readFileSync(file, 'utf8')
for (const { before, after } of changes) {
  if (text.includes(after)) continue
  if (!text.includes(before)) throw new Error(`${file} is not the version that scripts/patch-driver.mjs knows`)
  text = text.replace(before, after)
}
writeFileSync(file, text)
