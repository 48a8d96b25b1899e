/** The entities of an import, with the columns that a sheet's columns can be. */
import { entities as all_ } from '../../../import/entities.js'
import type { Entity } from '../../../import/entity.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { text } from '../../openapi.js'
import { all, flag, listOf, operation } from '../operation.js'
import { FOR } from './imports.js'

/** Entities whose codes can be found by a name. */
const NAMED = ['items', 'customers', 'vendors']

const isNamed = ({ name, references = [] }: Entity, column: string, lookup: string | undefined): boolean => {
  const own = { items: 'sku', customers: 'code', vendors: 'code' }[name]
  const to = lookup ?? references.find(({ columns }) => columns.length === 1 && columns[0] === column)?.entity
  return own === column || NAMED.includes(to ?? '')
}

export const entities = [
  operation({
    ...FOR,
    method: 'GET',
    path: '/entities',
    id: 'adminEntities',
    summary: 'What files can bring in: entities and their columns',
    result: all({ entities: listOf('AdminEntity') }),
    run: async () => ({
      entities: (all_ as readonly Entity[]).map((entity) => ({
        ...{ name: entity.name, about: entity.about, key: entity.key },
        columns: Object.entries(entity.columns).map(([name, { description, required, lookup, sqlType, words }]) => ({
          ...{ name, about: description, required, by_name: isNamed(entity, name, lookup?.entity) },
          ...{ is_day: sqlType === 'date', words: words ?? null },
        })),
      })),
    }),
  }),
]

export const entitySchemas: Record<string, JsonSchema> = {
  AdminEntity: all({
    name: text('Its name: items.'),
    about: text('What a row of it is.'),
    key: { type: 'array', items: { type: 'string' }, description: 'The columns that identify a row.' },
    columns: {
      ...{ type: 'array', description: 'In the order of import files.' },
      items: all({
        name: text('Its name.'),
        about: text('What it means.'),
        required: flag('Whether every row needs a value.'),
        by_name: flag('Whether it is a code that can be found by, or made from, a name.'),
        is_day: flag('Whether it is a day.'),
        words: {
          ...{ type: ['array', 'null'], items: { type: 'string' } },
          description: 'The values that it can have; null for any.',
        },
      }),
    },
  }),
}
