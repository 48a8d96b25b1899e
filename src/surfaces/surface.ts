/** A surface speaks one protocol over the kernel. Each is a folder here and one line in list.ts. */
import type { FastifyInstance } from 'fastify'
import type { ClientDocuments } from '../access/client-documents.js'
import type { Guard } from '../access/sign-in.js'
import type { TokenCache } from '../access/token-cache.js'
import type { Database, Target } from '../db/connect.js'
import type { Admission } from '../http/admit.js'
import type { Repeats } from '../http/repeats.js'
import type { Kernel } from '../kernel/answer/ask.js'
import type { Report } from '../kernel/report/report.js'
import type { Replicas } from '../store/replicas.js'
import type { OpenApiPart } from './openapi.js'

/** The parts of the service that a surface may use. */
export interface Services {
  readonly database: Pick<Database, 'db' | 'quick' | 'engine' | 'target'>
  readonly replicas: Replicas
  readonly reports: readonly Report[]
  readonly kernel: Kernel
  readonly tokens: TokenCache
  /** Checks secrets; one for all surfaces, so that the limit on concurrent checks holds over them. */
  readonly guard: Guard
  /** What programs say about themselves that no operator has registered. */
  readonly documents: ClientDocuments
  /** Shared by all surfaces: a client's units and slots count across them. */
  readonly admission: Admission
  /** Requests that repeat an earlier one. */
  readonly repeats: Repeats
  /** The database with the login of the loader, if the service was given one. */
  readonly loaderTarget: Target | undefined
  /** Number of worker processes. */
  readonly workers: number
  /** A folder for temporary files that all processes share; removed when the service ends. */
  readonly scratch: string
  /** All surfaces, so that one of them can document the others. */
  readonly surfaces: readonly Surface[]
}

export interface Surface {
  readonly name: string
  /** Whether its requests count towards the limits on concurrent requests. */
  readonly limited: boolean
  mount(app: FastifyInstance, services: Services): void | Promise<void>
  /** Its part of the OpenAPI document for callers of this origin. */
  openapi?(about: { readonly reports: readonly Report[]; readonly origin: string }): OpenApiPart
}
