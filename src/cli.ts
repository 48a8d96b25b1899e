#!/usr/bin/env node
/** `millbook <command>`: exits with 2 after a usage error and with 1 after any other failure. */
import './runtime/hangup.js' // before the other files, which take a while

import { makeProgram, UsageError } from './cli/program.js'
import { inWords } from './errors.js'

const options = process.argv.slice(2)
const json = (options.includes('--') ? options.slice(0, options.indexOf('--')) : options).includes('--json')

try {
  await (await makeProgram(json, options)).parseAsync()
} catch (error) {
  const message = inWords(error)
  const usage = error instanceof UsageError
  process.stderr.write(
    json ? `${JSON.stringify({ error: message })}\n` : `millbook: ${message}\n${usage ? `${error.help}\n` : ''}`,
  )
  process.exit(usage ? 2 : 1)
}
