/** The OAuth 2 endpoints under /oauth2, and their metadata. */
import type { Surface } from '../surface.js'
import { oauthPart } from './openapi.js'
import { mountOAuth } from './routes.js'

export default {
  name: 'oauth',
  limited: true,
  mount: (app, { database, tokens, guard, documents }) => mountOAuth(app, database.quick, tokens, guard, documents),
  openapi: ({ origin }) => oauthPart(origin),
} satisfies Surface
