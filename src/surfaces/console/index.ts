/** The web console at /: the pages that Vite builds from console/, served from memory. */
import type { Surface } from '../surface.js'
import { mountConsole } from './files.js'

export default {
  name: 'console',
  limited: false,
  mount: (app) => mountConsole(app),
} satisfies Surface
