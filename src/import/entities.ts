/** All entities, in the order in which they load: a file in entities/ is one, and needs no line anywhere else. */
import { readdirSync } from 'node:fs'
import type { Entity } from './entity.js'

const FOLDER = new URL('./entities/', import.meta.url)

/** Compiled files in dist/, sources where the tests run. */
const isModule = (file: string) => /(?<!\.d)\.[jt]s$/.test(file)

/** The names of the entities that an entity refers to. */
const targetsOf = ({ columns, references = [] }: Entity): ReadonlySet<string> =>
  new Set([
    ...references.map(({ entity }) => entity),
    ...Object.values(columns).flatMap(({ lookup }) => lookup?.entity ?? []),
  ])

/** An entity loads after the entities that it refers to, and the ledger last; then `order` decides, then the name. */
export function inLoadOrder(unordered: readonly Entity[]): Entity[] {
  const waiting = [...unordered].sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1))
  const ordered: Entity[] = []
  while (waiting.length > 0) {
    const next = waiting.findIndex((entity) =>
      waiting.every((other) => other === entity || !(entity.ledger || targetsOf(entity).has(other.name))),
    )
    if (next === -1) throw new Error(`entities refer to each other: ${waiting.map(({ name }) => name).join(', ')}`)
    ordered.push(...waiting.splice(next, 1))
  }
  return ordered
}

const modules: { readonly default: Entity }[] = await Promise.all(
  readdirSync(FOLDER)
    .filter(isModule)
    .map((file) => import(new URL(file, FOLDER).href)),
)

export const entities: readonly Entity[] = inLoadOrder(modules.map((module) => module.default))
