/** After any sequence of loads, verify finds nothing that a load should have refused or warned of. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { load } from '../../src/import/pipeline/load.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { findFiles } from '../../src/import/readers/folder.js'
import { files, loadBooks } from '../setup/books.js'
import { databaseForThisTest, remember } from '../setup/database.js'
import { folderOf } from '../setup/files.js'
import { anyLoad } from '../setup/loads.js'
import { long, runs } from '../setup/tier.js'

it('in any sequence, loads refuse every contradiction and warn of every new disagreement', async () => {
  const own = await databaseForThisTest()
  const outcomes = { loaded: 0, refused: 0, disagreements: 0 }
  await loadBooks(own)
  const restore = await remember(own)
  await fc.assert(
    fc.asyncProperty(fc.array(anyLoad, { minLength: 8, maxLength: 16 }), async (sequence) => {
      await restore()
      let known: string[] = []
      for (const { rows, replace } of sequence) {
        const { committed, errors, warnings } = await load(own, findFiles(folderOf(files(rows))), { replace })
        const findings = await verify(own, { rebuild: false })
        expect(findings.filter(({ kind }) => kind !== 'disagreement')).toEqual([])
        const disagreements = findings.flatMap(({ examples }) => examples)
        const untold = disagreements.filter((text) => !known.includes(text) && !warnings.first.includes(text))
        expect({ rows, replace, errors: errors.count, untold: committed ? untold : [] }).toMatchObject({ untold: [] })
        outcomes[committed ? 'loaded' : 'refused']++
        outcomes.disagreements += disagreements.length
        known = disagreements
      }
    }),
    { numRuns: runs(1, 30), endOnFailure: true },
  )
  if (!long) return // chance decides what one sequence has
  expect(outcomes.loaded).toBeGreaterThan(3)
  expect(outcomes.disagreements).toBeGreaterThan(3)
})
