/** The reports under /v1, as the contract describes them. */
import type { Surface } from '../surface.js'
import { mountReports } from './reports.js'

export default { name: 'rest', limited: true, mount: mountReports } satisfies Surface
