/** The OpenAPI document and the API reference. */
import type { Surface } from '../surface.js'
import { mountDocs } from './routes.js'

export default {
  name: 'docs',
  limited: false,
  mount: (app, { surfaces, reports }) => mountDocs(app, surfaces, reports),
} satisfies Surface
