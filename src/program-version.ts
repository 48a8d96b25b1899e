/** The version of this program, from package.json. */
import { readFileSync } from 'node:fs'

export const PROGRAM_VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version
