/** GET /v1/search: finds items, batches, orders, invoices, customers and vendors by their number or name. */
import type { Surface } from '../surface.js'
import { searchPart } from './openapi.js'
import { mountSearch } from './routes.js'

export default {
  name: 'search',
  limited: true,
  mount: mountSearch,
  openapi: searchPart,
} satisfies Surface
