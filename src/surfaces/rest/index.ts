/** The reports under /v1, as the contract describes them. */
import type { Surface } from '../surface.js'
import { mountCatalogue } from './catalogue.js'
import { reportsPart } from './openapi.js'
import { mountReports } from './reports.js'
import { mountViews } from './views.js'

export default {
  name: 'rest',
  limited: true,
  mount: (app, services) => {
    const answer = mountReports(app, services)
    mountCatalogue(app, services)
    mountViews(app, services, answer)
  },
  openapi: ({ reports, origin }) => reportsPart(reports, origin),
} satisfies Surface
