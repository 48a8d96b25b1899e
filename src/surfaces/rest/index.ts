/** The reports under /v1, as the contract describes them. */
import type { Surface } from '../surface.js'
import { mountCatalogue } from './catalogue.js'
import { reportsPart } from './openapi.js'
import { mountReports } from './reports.js'

export default {
  name: 'rest',
  limited: true,
  mount: (app, services) => {
    mountReports(app, services)
    mountCatalogue(app, services)
  },
  openapi: ({ reports, origin }) => reportsPart(reports, origin),
} satisfies Surface
