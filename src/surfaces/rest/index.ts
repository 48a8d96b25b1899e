/** The reports under /v1, as the contract describes them. */
import type { Surface } from '../surface.js'
import { rateLimit } from './rate.js'
import { mountReports } from './reports.js'

export default {
  name: 'rest',
  limited: true,
  mount: (app, { database, answers, tokens, rate, reports, workers }) =>
    mountReports(app, answers, tokens, rateLimit(database.db, rate, workers), reports),
} satisfies Surface
