/** Every kind of place that reports are delivered to, one line each. */
export { default as folder } from './to/folder.js'
export { default as mail } from './to/mail.js'
export { default as s3 } from './to/s3.js'
export { default as sftp } from './to/sftp.js'
