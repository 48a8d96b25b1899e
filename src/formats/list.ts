/** Every format, one line each. */
export { default as json } from './json.js'
