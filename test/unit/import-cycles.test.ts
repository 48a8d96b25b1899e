/** src/ and console/src/ have no import cycles; imports of types count too, because types that need each other belong together. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { importsOf } from '../setup/imports.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** src/import/entities.ts imports every file of this folder when it is loaded. */
const ENTITIES = 'src/import/entities'

type Graph = ReadonlyMap<string, readonly string[]>

const filesOf = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.d)\.tsx?$/.test(name))
    .map((name) => join(folder, name))

function graphOf(files: Readonly<Record<string, string>>): Graph {
  const names = Object.keys(files)
  return new Map(
    names.map((name) => [
      name,
      [
        ...importsOf(files[name] as string).map((path) => {
          const file = join(dirname(name), path).replace(/\.js$/, '.ts')
          return `${file}x` in files ? `${file}x` : file
        }),
        ...(name === `${ENTITIES}.ts` ? names.filter((other) => dirname(other) === ENTITIES) : []),
      ],
    ]),
  )
}

/** Every cycle that a walk through the imports finds, as a list of its files. */
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

it('src/ and console/src/ have no import cycle', () => {
  const names = ['src', 'console/src'].flatMap(filesOf)
  const graph = graphOf(Object.fromEntries(names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')])))
  const missing = [...graph].flatMap(([file, imported]) =>
    imported.filter((name) => !graph.has(name) && !name.endsWith('.css')).map((name) => `${file} imports ${name}`),
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
  ['of components', { 'a.tsx': `import { B } from './b.js'`, 'b.tsx': `import type { A } from './a.js'` }],
  ['of a type', { 'a.ts': `type B = typeof import('./b.js').default`, 'b.ts': `import {\n  a,\n} from "./a.js"` }],
  [
    'through the entities',
    {
      'src/import/entities.ts': '',
      'src/import/entities/a.ts': `import { b } from '../b.js'`,
      'src/import/b.ts': `import '../import/entities.js'`,
    },
  ],
])('a cycle %s is found', (_name, files: Record<string, string>) => {
  expect(cyclesIn(graphOf(files))).toHaveLength(1)
})
