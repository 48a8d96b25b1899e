/** The administration API under /v1/admin, for the console's pages for operators. */
import type { Surface } from '../surface.js'
import { adminPart } from './openapi.js'
import { mountAdmin } from './routes.js'

export default {
  name: 'admin',
  limited: true,
  mount: mountAdmin,
  openapi: adminPart,
} satisfies Surface
