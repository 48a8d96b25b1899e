/** /v1/app-passwords: users make, list and end their app passwords. */
import type { Surface } from '../surface.js'
import { appPasswordsPart } from './openapi.js'
import { mountAppPasswords } from './routes.js'

export default {
  name: 'app-passwords',
  limited: true,
  mount: mountAppPasswords,
  openapi: appPasswordsPart,
} satisfies Surface
