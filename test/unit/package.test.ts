/** The package: its dependencies are exactly the packages that the program imports. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const { dependencies, files, bin } = JSON.parse(read('package.json'))

it('src imports only dependencies, and neither TypeScript nor types are among them', () => {
  const sources = readdirSync(new URL('../../src', import.meta.url), { recursive: true, encoding: 'utf8' })
  const imported = sources
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...read(`src/${path}`).matchAll(/^import (?!type )[^'"]*'([^'.][^']*)'/gms)])
    .map(([, name = '']) => name.match(/^(@[^/]+\/)?[^/]+/)?.[0] as string)
    .filter((name) => !name.startsWith('node:'))
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...new Set(imported)]))
  expect(Object.keys(dependencies).filter((name) => /^typescript$|^@types\//.test(name))).toEqual([])
  expect([files, bin.millbook]).toEqual([expect.arrayContaining(['dist']), 'dist/cli.js'])
})

it('only src/db imports the driver', () => {
  const sources = readdirSync(new URL('../../src', import.meta.url), { recursive: true, encoding: 'utf8' })
  const knowing = sources.filter(
    (path) => path.endsWith('.ts') && /from '(pg|pg-copy-streams)(\/[^']*)?'/.test(read(`src/${path}`)),
  )
  expect(knowing.length).toBeGreaterThan(0)
  expect(knowing.filter((path) => !/^db[\\/]/.test(path))).toEqual([])
})

it('the lock file has no download addresses', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved"/)
})

it('the changelog begins with the version of the package', () => {
  const { version } = JSON.parse(read('package.json'))
  expect(/^## (\d+\.\d+\.\d+)(?:, | )/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
})

it('the package of the client has the version of the program and no dependencies', () => {
  const { version, engines } = JSON.parse(read('package.json'))
  const client = JSON.parse(read('packages/client/package.json'))
  expect([client.version, client.engines]).toEqual([version, engines])
  expect(Object.keys(client).filter((name) => /dependencies/i.test(name))).toEqual([])
  const sources = readdirSync(new URL('../../src/client', import.meta.url))
  const imported = sources.flatMap((name) => [
    ...read(`src/client/${name}`).matchAll(/ from '([^']+)'$|import\('([^']+)'/gm),
  ])
  expect(imported.length).toBeGreaterThan(5)
  expect(imported.map(([, path]) => path).filter((path) => !path?.startsWith('./'))).toEqual([])
})

it('the client exports each class of the errors that it throws', async () => {
  const internal = ['Failure'] // carries a MillbookError to the retries, which throw that
  const sources = readdirSync(new URL('../../src/client', import.meta.url))
  const classes = sources.flatMap((name) => [...read(`src/client/${name}`).matchAll(/class (\w+) extends \w*Error/g)])
  const exported = await import('../../src/client/index.js')
  const names = classes.flatMap(([, name]) => (name === undefined || internal.includes(name) ? [] : [name]))
  expect(names.sort()).toEqual(['ConnectionError', 'GoneError', 'MillbookError'])
  for (const name of names) expect(exported).toHaveProperty(name)
})

it('SECURITY.md names no field that package.json lacks', () => {
  const about = JSON.parse(read('package.json'))
  const named = ['author', 'bugs', 'contributors', 'homepage', 'repository'].filter((name) =>
    read('SECURITY.md').includes(`\`${name}\``),
  )
  expect(named.filter((name) => about[name] === undefined)).toEqual([])
})
