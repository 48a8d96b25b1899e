/** Sessions of the console under /session: its token is in a cookie that no script can read. */
import type { Surface } from '../surface.js'
import { mountSession } from './routes.js'

export default {
  name: 'session',
  limited: true,
  mount: mountSession,
} satisfies Surface
