/** OData 4.0 at `/odata/`, for Excel, Power BI, Tableau and other programs that read tables (docs/decisions/0043). */
import type { Surface } from '../surface.js'
import { odataPart } from './openapi.js'
import { mountOData } from './routes.js'

export default {
  name: 'odata',
  limited: true,
  mount: mountOData,
  openapi: odataPart,
} satisfies Surface
