#!/usr/bin/env node
/** `millbook <command>`: exits with 2 after a usage error and with 1 after any other failure. */
import './runtime/hangup.js' // alone, because a file runs only after all that its file imports are read

const { makeProgram, UsageError } = await import('./cli/program.js')
const { inWords } = await import('./errors.js')

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
