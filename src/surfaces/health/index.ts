/** GET /healthz and /readyz. */
import type { Surface } from '../surface.js'
import { healthPart } from './openapi.js'
import { mountHealth } from './routes.js'

export default {
  name: 'health',
  limited: false,
  mount: (app, { database, replicas }) => mountHealth(app, database, replicas),
  openapi: healthPart,
} satisfies Surface
