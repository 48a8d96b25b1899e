/**
 * The two tiers of tests: `npm test` is quick, `npm run test:long` sets MILLBOOK_LONG and takes hours. Both run
 * the same files; the long tier runs properties more often, and every input on both engines.
 */
import { describe, it, type TestContext } from 'vitest'
import { engine } from './engine.js'

export const long = process.env['MILLBOOK_LONG'] === '1'

/**
 * How often a property runs. Both engines run the same SQL, and the embedded one several times slower: in the long tier it
 * gets a tenth of the runs, but not less than in the quick tier.
 */
export const runs = (usual: number, inLongTier: number): number => {
  if (!long) return usual
  const tenth = Math.ceil(inLongTier / 10)
  return process.env['MILLBOOK_TEST_ENGINE'] === 'embedded' && inLongTier > usual ? Math.max(usual, tenth) : inLongTier
}

/** All inputs in the long tier and on PostgreSQL, every n-th on the embedded engine, which is slower. */
export const someOf = <T>(inputs: readonly T[], nth: number): T[] =>
  inputs.filter((_input, i) => long || engine !== 'embedded' || i % nth === 0)

type Work = (context: TestContext) => unknown

/** Tests for one engine only. On the other engine they are skipped, and the run prints the reason at its end. */
export const only = (on: typeof engine, reason: string) => ({
  it: (name: string, work: Work, timeout?: number) =>
    it(name, engine === on ? work : (context) => context.skip(reason), timeout),
  describe: (name: string, work: () => void) =>
    engine === on ? describe(name, work) : it(name, (context) => context.skip(reason)),
})

/** A test of SQL that is the same on both engines: the quick tier runs it on PostgreSQL only. */
export const sameOnBoth = Object.assign(
  (name: string, work: Work, timeout?: number) =>
    it(
      name,
      long || engine !== 'embedded' ? work : (context) => context.skip('in the quick tier, on a server'),
      timeout,
    ),
  {
    each: <T extends readonly unknown[]>(inputs: readonly T[]) => it.each(long || engine !== 'embedded' ? inputs : []),
  },
)

/** A long test; the quick tier has a shorter one for the same guarantee. */
export const inLongTier = (name: string, work: Work, timeout?: number) =>
  it(name, long ? work : (context) => context.skip('in the long tier only'), timeout)
