/** scripts/between.mjs for the time of one test. */
import { onTestFinished } from 'vitest'
import * as between from '../../scripts/between.mjs'
import type { Target } from '../../src/db/connect.js'

/** The proxy, with the database as its target. */
export async function standBetween(target: Target): Promise<between.Between & { target: Target }> {
  const made = await between.standBetween((target as { url: string }).url)
  onTestFinished(() => made.close())
  return { ...made, target: { url: made.url } }
}
