import { defineConfig } from 'vitest/config'

/**
 * To stay under eight minutes on two cores, these run on PostgreSQL alone: they take long, and what they look for is in SQL
 * that other files run on both engines, or not in SQL at all.
 */
const onServerOnly = ['authorization', 'condensed', 'consistency-sequences', 'fuzz', 'rate', 'sign-in']

/** Not inherited from the whole: each project would then start a PostgreSQL of its own as well. */
const common = {
  setupFiles: ['test/setup/properties.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  maxWorkers: 2,
  // Files share their process, one after another, with all that is loaded in it: to start one for each takes long.
  isolate: false,
}

/** The same files on both engines: test/setup/database.ts reads which one is meant. */
const onEngine = (engine: 'embedded' | 'server') => ({
  test: {
    ...common,
    name: engine,
    include: ['test/engine/**/*.test.ts'],
    exclude: engine === 'embedded' ? onServerOnly.map((name) => `test/engine/${name}.test.ts`) : [],
    env: { MILLBOOK_TEST_ENGINE: engine },
  },
})

export default defineConfig({
  test: {
    globalSetup: ['test/setup/global.ts'],
    maxWorkers: common.maxWorkers,
    projects: [
      { test: { ...common, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      onEngine('embedded'),
      onEngine('server'),
      {
        test: {
          ...common,
          name: 'process',
          include: ['test/process/**/*.test.ts', 'test/browser/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
    ],
  },
})
