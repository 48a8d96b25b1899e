/** The OAuth 2 endpoints under /oauth2, and their metadata. */
import type { Surface } from '../surface.js'
import { oauthPart } from './openapi.js'
import { mountToken } from './routes.js'

export default {
  name: 'oauth',
  limited: true,
  mount: (app, { database, tokens, workers }) => mountToken(app, database.quick, tokens, workers),
  openapi: ({ origin }) => oauthPart(origin),
} satisfies Surface
