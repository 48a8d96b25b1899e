/** The project `unit` starts no database, so its files must not import the setup of one, directly or indirectly. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { importsOf } from '../setup/imports.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DATABASES = ['test/setup/database.ts', 'test/setup/global.ts', 'scripts/postgres.mjs']

/** The source file of an imported path; undefined if it does not exist, as in a file that a test writes. */
const sourceOf = (path: string) =>
  [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((file) => existsSync(join(ROOT, file)))

/** The chain of imports from a file to the setup of a database, or undefined. Only tests and scripts can import it. */
function wayToDatabase(file: string, way: readonly string[] = []): string | undefined {
  if (DATABASES.includes(file)) return [...way, file].join(' → ')
  if (way.includes(file) || !/^(test|console\/test|scripts)\//.test(file)) return undefined
  return importsOf(readFileSync(join(ROOT, file), 'utf8'))
    .flatMap((path) => sourceOf(join(dirname(file), path)) ?? [])
    .map((imported) => wayToDatabase(imported, [...way, file]))
    .find((found) => found !== undefined)
}

const testsIn = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))

it('no unit test imports the setup of a database', () => {
  const unit = [...testsIn('test/unit'), ...testsIn('console/test')]
  expect(unit).toContain(relative(ROOT, fileURLToPath(import.meta.url)))
  expect(unit.flatMap((file) => wayToDatabase(file) ?? [])).toEqual([])
})

it('finds the setup of a database behind a shared file', () => {
  expect(wayToDatabase('test/engine/admin.test.ts')).toMatch(/ → test\/setup\/service\.ts → test\/setup\/database\.ts$/)
})
