/** /v1/overview: the overview of the user who sends the request. */
import type { Surface } from '../surface.js'
import { overviewPart } from './openapi.js'
import { mountOverview } from './routes.js'

export default {
  name: 'overview',
  limited: true,
  mount: mountOverview,
  openapi: overviewPart,
} satisfies Surface
