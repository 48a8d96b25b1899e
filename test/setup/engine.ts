/** The engine of the run, named by vitest.config.ts, so that tests without a database know it too. */
export const engine = (process.env['MILLBOOK_TEST_ENGINE'] ?? 'embedded') as 'embedded' | 'server' | 'cluster'
