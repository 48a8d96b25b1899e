/** Every surface, one line each. A surface that is listed here is mounted and documented. */
export { default as admin } from './admin/index.js'
export { default as console } from './console/index.js'
export { default as docs } from './docs/index.js'
export { default as health } from './health/index.js'
export { default as oauth } from './oauth/index.js'
export { default as rest } from './rest/index.js'
export { default as search } from './search/index.js'
export { default as session } from './session/index.js'
