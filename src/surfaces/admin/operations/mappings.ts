/** Mappings that are kept under a name. */
import { audit } from '../../../access/audit.js'
import { isImportFile } from '../../../bring/files.js'
import { fits, listMappings, removeMapping } from '../../../bring/mappings.js'
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import { text } from '../../openapi.js'
import { Optional, Text } from '../fields.js'
import { all, flag, listOf, operation, time } from '../operation.js'
import { FOR } from './imports.js'

export const mappings = [
  operation({
    ...FOR,
    method: 'GET',
    path: '/mappings',
    id: 'adminMappings',
    summary: 'Kept mappings',
    query: { import: Optional(Text(22, 'Files that you have sent: `fits` is about them.', 'k3J9sPq0vXzT1bYc8WmNfA')) },
    result: all({ mappings: listOf('AdminMapping') }),
    async run({ services: { database }, bringing, query: { import: id }, by }) {
      const kept = await listMappings(database.quick)
      const sent = id === undefined ? [] : bringing.find(id, by.actor).files.map(({ name }) => name)
      const books = sent.filter((name) => !isImportFile(name))
      return {
        mappings: kept.map(({ name, text, changedBy, changedAt }) => ({
          ...{ name, text, changed_by: changedBy, changed_at: changedAt.toISOString(), fits: fits(text, books) },
        })),
      }
    },
  }),
  operation({
    ...FOR,
    method: 'DELETE',
    path: '/mappings/:name',
    id: 'adminRemoveMapping',
    summary: 'Forget a kept mapping',
    result: all({ name: text('Its name.') }),
    async run({ params: { name = '' }, by, change }) {
      await change(async (tx) => {
        await removeMapping(tx, name)
        await audit(tx, { ...by, act: 'mapping.remove', detail: { name } })
      })
      return { name }
    },
  }),
]

export const mappingSchemas: Record<string, JsonSchema> = {
  AdminMapping: all({
    name: text('Its name.'),
    text: text('The mapping as YAML.'),
    changed_by: text('Who kept it.'),
    changed_at: time('When.'),
    fits: flag('Whether its patterns name the files of `import`: all of them, and no other.'),
  }),
}
