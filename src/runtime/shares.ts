/** What each of several workers gets of the limits of the service. */
import { MOST_CONNECTIONS } from '../db/connect.js'
import type { ServeSettings } from './settings.js'

/** PostgreSQL accepts 100 connections by default; some are left for others. A reload adds one worker. */
const CONNECTIONS_IN_ALL = 90

/** The process that starts the workers has so many besides. */
export const CONNECTIONS_OF_FIRST = { max: 3, quick: 2 }

/** How many connections each worker has for reports and for short statements, besides one that listens. */
export function connectionsOfEach(workers: number): { max: number; quick: number } {
  const each = Math.floor(CONNECTIONS_IN_ALL / (workers + 1))
  const quick = each < 6 ? 1 : 2
  return { max: Math.max(1, Math.min(MOST_CONNECTIONS, each - quick - 1)), quick }
}

/** A client's connections may fall on one worker: with less, it would refuse a client that is within its limit. */
const LEAST_PER_CLIENT = 4

/** A worker's share of the limits. */
export function shareOf<T extends Limits>(limits: T, workers: number): T {
  const part = (limit: number) => Math.ceil(limit / workers)
  const { maxConnections, maxRequests, maxRequestsPerClient } = limits
  return {
    ...limits,
    maxConnections: part(maxConnections),
    maxRequests: part(maxRequests),
    maxRequestsPerClient: Math.max(part(maxRequestsPerClient), Math.min(maxRequestsPerClient, LEAST_PER_CLIENT)),
  }
}
type Limits = Pick<ServeSettings, 'maxConnections' | 'maxRequests' | 'maxRequestsPerClient'>
