/** Divides the limits of the service among its workers. */
import { MOST_CONNECTIONS } from '../db/connect.js'
import type { ServeSettings } from './settings.js'

/** PostgreSQL accepts 100 connections by default; this leaves some for other programs. A reload adds one worker. */
const CONNECTIONS_IN_ALL = 90

/** The connections of the process that starts the workers, besides theirs. */
export const CONNECTIONS_OF_FIRST = { max: 3, quick: 2 }

/** The connections of each worker for reports and for short statements, besides one that listens for notifications. */
export function connectionsOfEach(workers: number): { max: number; quick: number } {
  const each = Math.floor(CONNECTIONS_IN_ALL / (workers + 1))
  const quick = each < 6 ? 1 : 2
  return { max: Math.max(1, Math.min(MOST_CONNECTIONS, each - quick - 1)), quick }
}

/** All connections of a client may reach one worker: a lower limit would delay a client that is within its own limit. */
const LEAST_PER_CLIENT = 4

/** A worker's share of the limits. */
export function shareOf<T extends Limits>(limits: T, workers: number): T {
  const part = (limit: number) => Math.ceil(limit / workers)
  const { maxConnections, maxConnectionsPerAddress, maxRequests, maxRequestsPerClient } = limits
  return {
    ...limits,
    maxConnections: part(maxConnections),
    maxConnectionsPerAddress: part(maxConnectionsPerAddress),
    maxRequests: part(maxRequests),
    maxRequestsPerClient: Math.max(part(maxRequestsPerClient), Math.min(maxRequestsPerClient, LEAST_PER_CLIENT)),
  }
}
type Limits = Pick<
  ServeSettings,
  'maxConnections' | 'maxConnectionsPerAddress' | 'maxRequests' | 'maxRequestsPerClient'
>
