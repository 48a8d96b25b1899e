import { defineConfig } from 'vitest/config'

const long = process.env['MILLBOOK_LONG'] === '1'

/**
 * These files take long, and test no SQL, or SQL that other files run on both engines too: the quick
 * tier runs them on PostgreSQL only.
 */
const onServerOnly = [
  'admin',
  'admin-imports',
  'against',
  'agreement',
  'answers',
  'app-passwords',
  'as-known',
  'authorization',
  'authorize',
  'backup',
  'behind',
  'catalogue',
  'changes',
  'client',
  'clients',
  'closed-periods',
  'columns',
  'condensed',
  'consistency',
  'credit-notes',
  'deliver',
  'edges',
  'editions',
  'every-report',
  'fg-stock-status',
  'fields',
  'figures',
  'formats',
  'fuzz',
  'groups',
  'history',
  'history-changes',
  'history-faults',
  'http',
  'import-errors',
  'incremental',
  'insight-cover',
  'insight-performance',
  'insight-plan',
  'insight-stock',
  'insight-trace',
  'load-log',
  'load-stages',
  'mcp',
  'mcp-http',
  'migrate',
  'movement-units',
  'oauth',
  'odata',
  'odata-clients',
  'overview',
  'prices',
  'pull',
  'pull-odoo',
  'pull-sap-business-one',
  'pull-sheets',
  'pull-tally',
  'pull-unchanged',
  'rate',
  'real-books',
  'refusals',
  'reject',
  'reject-documents',
  'repeats',
  'sample',
  'saved-views',
  'search',
  'session',
  'sign-in',
  'skewed',
  'snapshots',
  'sql-access',
  'stories',
  'today',
  'traces',
  'undo',
  'upgrade',
  'view-answers',
  'views',
  'warning-kinds',
  'webhooks',
  'workbooks',
]

/** A change of builds, slow commands, every example of every command's help, half an hour of faults, other servers and runtimes, recipes, format readers. */
const ofProcesses = [
  ...['admin', 'backup', 'chaos', 'contributing', 'deliver', 'doctor', 'embedded', 'examples', 'full-disk', 'guide'],
  ...['history', 'insight', 'mcp', 'metrics', 'package', 'pull', 'recipes', 'runtimes', 'sql-access'],
  ...['systemd', 'upgrade', 'webhooks', 'workers'],
]
const inLongTierOnly = [
  ...ofProcesses.map((name) => `test/process/${name}.test.ts`),
  ...['consistency-sequences', 'earlier-build', 'readers', 'sales-pages', 'skewed-plans'].map(
    (name) => `test/engine/${name}.test.ts`,
  ),
  ...['docs', 'odd-data', 'table'].map((name) => `test/browser/${name}.test.ts`),
]

const common = {
  setupFiles: ['test/setup/properties.ts'],
  // Only for tests that hang: on a busy machine, loading the sample takes over a minute.
  testTimeout: long ? 3_600_000 : 300_000,
  hookTimeout: long ? 600_000 : 300_000,
  expect: { poll: { timeout: 30_000 } }, // on a busy machine, an event that a test waits for comes late
  maxWorkers: 4, // on two cores: tests of processes often wait
  // Files share their process, one after another: starting a process for each takes long.
  isolate: false,
}

/** For every project but `unit`; the first of a run starts the databases for all. */
const withDatabases = { ...common, globalSetup: ['test/setup/global.ts'] }

/** Tests that fill a cluster as a load does; what a test inserts itself goes to shards without their copies, and may be refused. */
const onCluster = ['oracle', 'reject']

/** The same files on both engines; test/setup/engine.ts reads which engine to use. */
const onEngine = (engine: 'embedded' | 'server' | 'cluster') => ({
  test: {
    ...withDatabases,
    name: engine,
    include: (engine === 'cluster' ? onCluster : ['**/*']).map((name) => `test/engine/${name}.test.ts`),
    exclude: [
      ...(long ? [] : inLongTierOnly),
      ...(engine === 'embedded' && !long ? onServerOnly.map((name) => `test/engine/${name}.test.ts`) : []),
    ],
    env: { MILLBOOK_TEST_ENGINE: engine },
  },
})

export default defineConfig({
  test: {
    maxWorkers: common.maxWorkers,
    experimental: { fsModuleCache: true }, // in node_modules: each project would transform the sources again
    reporters: ['default', './test/setup/skips.ts'],
    projects: [
      { test: { ...common, name: 'unit', include: ['{test/unit,console/test}/**/*.test.ts'] } },
      onEngine('embedded'),
      onEngine('server'),
      ...(process.env['MILLBOOK_CITUS_URL'] === undefined ? [] : [onEngine('cluster')]),
      {
        test: {
          ...withDatabases,
          name: 'process',
          include: ['test/process/**/*.test.ts', 'test/browser/**/*.test.ts'],
          exclude: long ? [] : inLongTierOnly,
          // Where a test does not say the engine; the long tier has the default of users.
          env: { MILLBOOK_TEST_ENGINE: long ? 'embedded' : 'server' },
        },
      },
    ],
  },
})
