/** What each of several workers gets of the limits of the service. */
import { MOST_CONNECTIONS } from '../db/connect.js'
import type { ServiceSettings } from './service.js'

/** PostgreSQL accepts 100 connections by default; some are left for others, and for a reload. */
const CONNECTIONS_IN_ALL = 64
/** A process has so many more: for short statements, and one that listens. */
const NOT_FOR_REPORTS = 3
export const connectionsOfEach = (workers: number): number =>
  Math.max(2, Math.min(MOST_CONNECTIONS, Math.floor(CONNECTIONS_IN_ALL / workers) - NOT_FOR_REPORTS))

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
type Limits = Pick<ServiceSettings, 'maxConnections' | 'maxRequests' | 'maxRequestsPerClient'>
