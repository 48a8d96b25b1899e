/** Records of the sample company, one for each shape of each report. `npm run docs` writes them into examples.json. */
import { readFileSync } from 'node:fs'
import type { Example } from '../openapi.js'

// The same path from src/ and from dist/.
const FILE = new URL('../../../src/surfaces/rest/examples.json', import.meta.url)

export const examples: Readonly<Record<string, readonly Example[]>> = JSON.parse(readFileSync(FILE, 'utf8'))
