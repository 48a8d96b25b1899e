/** No file of src/ imports itself through others: types count, since a circle of types is one of ideas as well. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { importsOf } from '../setup/imports.js'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
/** src/import/entities.ts imports every file of this folder when it is loaded. */
const ENTITIES = 'import/entities'

type Graph = ReadonlyMap<string, readonly string[]>

const filesOf = (root: string) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.d)\.ts$/.test(name))

function graphOf(files: Readonly<Record<string, string>>): Graph {
  const names = Object.keys(files)
  return new Map(
    names.map((name) => [
      name,
      [
        ...importsOf(files[name] as string).map((path) => join(dirname(name), path).replace(/\.js$/, '.ts')),
        ...(name === `${ENTITIES}.ts` ? names.filter((other) => dirname(other) === ENTITIES) : []),
      ],
    ]),
  )
}

/** Every circle that a walk through the files runs into, as the files on it. */
function cyclesIn(graph: Graph): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || done.has(file)) return
    for (const imported of graph.get(file) ?? []) walk(imported, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) walk(file, [])
  return cycles
}

it('src/ has no import cycle', () => {
  const graph = graphOf(Object.fromEntries(filesOf(SRC).map((name) => [name, readFileSync(join(SRC, name), 'utf8')])))
  const missing = [...graph].flatMap(([file, imported]) =>
    imported.filter((name) => !graph.has(name)).map((name) => `${file} imports ${name}`),
  )
  expect(missing).toEqual([])
  expect([...graph.values()].flat().length).toBeGreaterThan(200)
  expect(cyclesIn(graph)).toEqual([])
})

it.each([
  ['of two files', { 'a.ts': `import { b } from './b.js'`, 'b.ts': `import type { A } from './a.js'` }],
  [
    'through a folder',
    {
      'x/a.ts': `export * from '../y/b.js'`,
      'y/b.ts': `const c = await import('./c.js')`,
      'y/c.ts': `import '../x/a.js'`,
    },
  ],
  ['of a type', { 'a.ts': `type B = typeof import('./b.js').default`, 'b.ts': `import {\n  a,\n} from "./a.js"` }],
  [
    'through the entities',
    {
      'import/entities.ts': '',
      'import/entities/a.ts': `import { b } from '../b.js'`,
      'import/b.ts': `import '../import/entities.js'`,
    },
  ],
])('a cycle %s is found', (_name, files: Record<string, string>) => {
  expect(cyclesIn(graphOf(files))).toHaveLength(1)
})
