/** The table of metrics in docs/metrics.md. */
import './metrics.js'
import { describeMetrics } from './registry.js'

/** The rows of these metrics, or of all. */
export const metricsTable = (names?: readonly string[]): string =>
  describeMetrics()
    .filter(({ name }) => names === undefined || names.includes(name))
    .map(({ name, kind, help }) => `| \`${name}\` | ${kind} | ${help.replaceAll('|', '\\|')} |`)
    .join('\n')
