/** GET /healthz and /readyz. */
import type { Surface } from '../surface.js'
import { mountHealth } from './routes.js'

export default {
  name: 'health',
  limited: false,
  mount: (app, { database }) => mountHealth(app, database.db),
} satisfies Surface
