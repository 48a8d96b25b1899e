/** OData 4.0 at `/odata/`, for Excel, Power BI, Tableau and other programs that read tables (docs/decisions/0043). */
import type { Surface } from '../surface.js'
import { mountDownloads } from './downloads.js'
import { odataPart } from './openapi.js'
import { mountOData } from './routes.js'

export default {
  name: 'odata',
  limited: true,
  mount: async (app, services) => {
    mountDownloads(app, services)
    await mountOData(app, services)
  },
  openapi: odataPart,
} satisfies Surface
