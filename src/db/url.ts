/** Reads the URL of a PostgreSQL server. */
import { userInfo } from 'node:os'
import { MillbookError } from '../errors.js'
import type { ClientOptions } from './client.js'

export interface Server {
  /** For messages; never contains a password. */
  description: string
  options: Omit<ClientOptions, 'connectTimeoutMs'>
  /** Whether to connect without TLS if the server does not support it. */
  plainIfNoTls: boolean
}

/** Parameters of the URL that are not settings of a session. */
const OWN = new Set(['host', 'port', 'sslmode', 'ssl', 'sslnegotiation', 'sslrootcert', 'connect_timeout'])

/** Takes parts that the URL leaves out from libpq's variables: PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE. */
export function readServerUrl(text: string): Server {
  const url = parse(text)
  const { env } = process
  const { searchParams: params } = url
  const written = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1')
  const host = params.get('host') || written || env['PGHOST'] || 'localhost'
  if (host.includes(',')) throw new MillbookError('the database URL names several hosts: name one')
  const user = decodeURIComponent(url.username) || env['PGUSER'] || systemUser()
  const name = decodeURIComponent(url.pathname.slice(1))
  const mode =
    params.get('sslmode') ?? params.get('ssl') ?? (params.get('sslrootcert') === 'system' ? 'verify-full' : '')
  return {
    description: `PostgreSQL database ${name || '(default)'} on ${decodeURIComponent(url.host) || 'this machine'}`,
    options: {
      ...{ host, user, database: name || env['PGDATABASE'] || user },
      port: Number(params.get('port') || url.port || env['PGPORT'] || 5432),
      password: decodeURIComponent(url.password) || env['PGPASSWORD'] || '',
      ssl: tls(mode),
      ...(params.get('sslnegotiation') === 'direct' && { sslnegotiation: 'direct' }),
      startup: Object.fromEntries([...params].filter(([name]) => !OWN.has(name))),
    },
    plainIfNoTls: mode === 'prefer',
  }
}

function parse(text: string): URL {
  try {
    const url = new URL(text)
    decodeURIComponent(url.href) // throws if a part cannot be decoded
    if (url.protocol === 'postgres:' || url.protocol === 'postgresql:') return url
  } catch {
    // the error below does not show the URL, which may contain a password
  }
  throw new MillbookError('the database URL is not of the form postgres://user:password@host:5432/name')
}

/** `require` and the weaker modes encrypt without checking the server's identity; any other mode checks the certificate. */
function tls(mode: string): ClientOptions['ssl'] {
  if (mode === '' || mode === 'disable' || mode === 'false') return false
  return ['allow', 'prefer', 'require'].includes(mode) ? { rejectUnauthorized: false } : true
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return 'postgres' // a user of the system without a name
  }
}
