/** Every metric of the service, declared once. docs/metrics.md lists them; a test compares. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram } from './registry.js'

/** Buckets in seconds, from an answer from memory to the longest report. */
const TIMES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Converts milliseconds. */
export const inSeconds = (ms: number): number => ms / 1000

export const requests = new Counter(
  'millbook_requests_total',
  'Responses by endpoint (a report or a path), status, and where the answer came from: memory, file, database or none.',
)
export const requestSeconds = new Histogram(
  'millbook_request_seconds',
  'Time from the headers of a request to the end of its response, by endpoint.',
  TIMES,
)
export const stageSeconds = new Histogram(
  'millbook_stage_seconds',
  'Time of each stage of a request for a report: admit (token, rate, queue), query (finding the answer), encode (writing it).',
  TIMES,
)
export const responseBytes = new Counter('millbook_response_bytes_total', 'Bytes of response bodies, by endpoint.')
export const inProgress = new Gauge('millbook_requests_in_progress', 'Requests that count towards --max-requests.')
export const inQueue = new Gauge('millbook_requests_waiting', "Requests that wait because of their client's limit.")

export const builds = new Counter(
  'millbook_builds_total',
  'Whole reports computed in the background, by result: done, cancelled (the data changed) or failed.',
)
export const buildSeconds = new Histogram('millbook_build_seconds', 'Time to compute a whole report, by report.', TIMES)
export const snapshotFailures = new Counter(
  'millbook_snapshot_disk_failures_total',
  'Attempts to write a computed report to a disk that was full or could not be written to.',
)

export const connections = new Gauge(
  'millbook_database_connections',
  'Connections to the database, by pool (reports, quick, one for each replica) and state (leased, idle).',
)
export const connectionWaits = new Histogram(
  'millbook_database_connection_wait_seconds',
  'Time that statements waited for a connection, by pool.',
  TIMES,
)
export const cancelled = new Counter(
  'millbook_statements_cancelled_total',
  'Statements that did not finish, by reason: abandoned (all callers have gone, or the data has changed), timeout, lock, silent.',
)

export const reportReads = new Counter(
  'millbook_report_reads_total',
  'Reads of reports that a database answered, by database: primary, replica-1 and so on, in the order of --read-from.',
)
/** Why another database answered. */
export const MISSES = ['version', 'busy', 'failed'] as const
export const replicaMisses = new Counter(
  'millbook_replica_misses_total',
  'Reads that another database answered in place of a replica, by replica and reason: version (the replica has another version), busy or failed.',
)
export const replicaStates = new Gauge(
  'millbook_replica_state',
  'Processes that see a replica in a state, by replica and state: ready, behind, paused, unreachable, not-a-replica.',
)
export const replicaBehind = new Gauge(
  'millbook_replica_loads_behind',
  'Loads that a replica lacks, by replica.',
  'max',
)

export const webhookAttempts = new Counter(
  'millbook_webhook_attempts_total',
  'Messages sent to webhooks, by outcome: delivered or failed. A message that failed is sent again.',
)
export const tokensIssued = new Counter('millbook_tokens_issued_total', 'Access tokens issued, by grant.')
export const refusals = new Counter(
  'millbook_refusals_total',
  'Requests that were refused, by the code of the problem or of the OAuth error.',
)

export const dataVersion = new Gauge('millbook_data_version', 'Number of the version of the data.', 'max')
export const dataAge = new Gauge(
  'millbook_data_age_seconds',
  'Time since the data last changed: by a load or by `verify --rebuild`.',
  'max',
)
export const lastLoad = {
  rows: new Gauge('millbook_last_load_rows', 'Rows of the last committed load.', 'max'),
  seconds: new Gauge('millbook_last_load_seconds', 'Time that the last load took.', 'max'),
  warnings: new Gauge('millbook_last_load_warnings', 'Warnings of the last load.', 'max'),
}
export const historyBytes = new Gauge(
  'millbook_history_bytes',
  'Space of what loads changed and removed, with its indexes.',
  'max',
)
export const pullAge = new Gauge(
  'millbook_pull_age_seconds',
  'Time since the last successful pull, by connector.',
  'max',
)
export const pullFailed = new Gauge(
  'millbook_pull_failed',
  'Whether the last pull failed (1) or not (0), by connector and reason: source, rows or load.',
  'max',
)
export const pullRejected = new Gauge(
  'millbook_pull_rejected_rows',
  'Rows that the last pull left out because they were wrong, by connector.',
  'max',
)
const delay = monitorEventLoopDelay({ resolution: 10 })
const SECOND = 1e9 // in the monitor's nanoseconds
export const eventLoopDelay = new Gauge(
  'millbook_event_loop_delay_seconds',
  'How late timers run, since the last reading, by statistic (p50, p99, max); the value of the worst process.',
  'max',
)
eventLoopDelay.onRead((gauge) => {
  for (const [statistic, nanoseconds] of [
    ['p50', delay.percentile(50)],
    ['p99', delay.percentile(99)],
    ['max', delay.max],
  ] as const)
    gauge.set(delay.count === 0 ? 0 : nanoseconds / SECOND, { statistic })
  delay.reset()
})

export const spans = new Counter(
  'millbook_spans_total',
  'Spans for OpenTelemetry, by result: sent or dropped (the collector did not accept them).',
)

export const residentMemory = new Gauge('process_resident_memory_bytes', 'Memory of all processes of the service.')
residentMemory.onRead((gauge) => gauge.set(process.memoryUsage.rss()))
export const processorSeconds = new Counter(
  'process_cpu_seconds_total',
  'Processor time of all processes of the service.',
)
processorSeconds.onRead((gauge) => {
  const { user, system } = process.cpuUsage()
  gauge.set((user + system) / 1e6)
})

/** Call this once in a process that serves. */
export const watchEventLoop = (): void => void delay.enable()

// Start at 0: if a counter appeared with its first event, Prometheus would see no increase.
for (const reason of ['abandoned', 'timeout', 'lock', 'silent']) cancelled.with({ reason })
for (const result of ['done', 'cancelled', 'failed']) builds.with({ result })
for (const grant of ['password', 'refresh_token', 'client_credentials', 'authorization_code', 'link'])
  tokensIssued.with({ grant })
reportReads.with({ database: 'primary' })
snapshotFailures.with()
