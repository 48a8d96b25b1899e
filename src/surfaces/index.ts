/** Every surface. A surface that is listed here is mounted and documented. */
import docs from './docs/index.js'
import health from './health/index.js'
import oauth from './oauth/index.js'
import rest from './rest/index.js'
import type { Surface } from './surface.js'

export const surfaces: readonly Surface[] = [health, docs, oauth, rest]
