/** Rows of the sample on their way to the loader, or to files. */
import { entities } from '../import/entities/index.js'
import type { Chunk, Part, Rows } from '../import/source.js'

type Entities = (typeof entities)[number]
export type EntityName = Entities['name']
/** A row as a file has it; a column that is left out is empty. */
export type RowOf<Name extends EntityName> = {
  [Column in keyof Extract<Entities, { name: Name }>['columns']]?: string | null
}
export type Emit = <Name extends EntityName>(entity: Name, row: RowOf<Name>) => void

export const parts: readonly Part[] = entities.map((entity) => ({ entity, name: entity.name }))

/** Collects rows by entity until they are taken. */
export class RowBuffer {
  readonly #waiting = new Map<string, { part: Part; header: string[]; line: number; rows: Rows }>(
    parts.map((part) => [part.entity.name, { part, header: Object.keys(part.entity.columns), line: 1, rows: [] }]),
  )

  readonly emit: Emit = (entity, row) => {
    const place = this.#waiting.get(entity)
    if (place === undefined) throw new Error(`there is no entity ${entity}`)
    const { header } = place
    const cells = header.map((column) => (row as Record<string, string | null | undefined>)[column])
    place.rows.push({ line: ++place.line, header, cells })
  };

  *take(done: number): Generator<Chunk> {
    for (const place of this.#waiting.values()) {
      if (place.rows.length === 0) continue
      const rows = place.rows
      place.rows = []
      yield { part: place.part, rows, done }
    }
  }
}
