/** The engine that a test file is run for: vitest.config.ts names it, so that tests without a database can ask too. */
export const engine = (process.env['MILLBOOK_TEST_ENGINE'] ?? 'embedded') as 'embedded' | 'server'
