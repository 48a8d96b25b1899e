/** Every format, one line each. */
export { default as csv } from './csv.js'
export { default as json } from './json.js'
export { default as ndjson } from './ndjson.js'
export { default as parquet } from './parquet.js'
export { default as xlsx } from './xlsx.js'
