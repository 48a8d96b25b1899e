/** The sample ends today, so a fixed day in a recipe or in a command of the guide would fall out of it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DAY = /\b20\d\d-\d\d(-\d\d)?\b/

it('no recipe has a fixed day', () => {
  const files = readdirSync(join(ROOT, 'recipes'), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  expect(files.length).toBeGreaterThan(9)
  for (const { parentPath, name } of files)
    expect([name, DAY.test(readFileSync(join(parentPath, name), 'utf8'))]).toEqual([name, false])
})

it('no command or program of the guide has a fixed day', () => {
  const guide = readFileSync(join(ROOT, 'docs/guide.md'), 'utf8')
  const blocks = [...guide.matchAll(/^```(?:sh|js)\n(.*?)^```/gms)].map(([, text = '']) => text)
  expect(blocks.length).toBeGreaterThan(10)
  for (const text of blocks) expect(text).not.toMatch(DAY)
})
