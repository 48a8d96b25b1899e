/** /mcp: the reports as tools of assistants (Model Context Protocol over HTTP), for tokens that were issued for it. */
import type { Surface } from '../surface.js'
import { mountMcp } from './routes.js'

export default {
  name: 'mcp',
  limited: true,
  mount: mountMcp,
} satisfies Surface
