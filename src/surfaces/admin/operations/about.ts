/** GET /v1/admin: the rights of the service, and the words that the other requests accept. */
import { ACTS } from '../../../access/audit.js'
import { GRANTS } from '../../../access/clients.js'
import { ROLES } from '../../../access/users.js'
import { ENDINGS } from '../../../bring/files.js'
import type { Db } from '../../../db/connect.js'
import { groups } from '../../../groups.js'
import { entities } from '../../../import/entities.js'
import { all, count, flag, operation } from '../operation.js'

/** On a server, the login of the service may have fewer rights than the owner (docs/decisions/0011). */
export async function rightsOf(db: Db): Promise<{ administer: boolean; load: boolean }> {
  const [row] = await db<{ administer: boolean; load: boolean }[]>`
    select has_table_privilege('api_client', 'insert') and has_table_privilege('api_user', 'insert')
           and has_table_privilege('audit_entry', 'select') as administer,
           has_table_privilege('item', 'insert') and has_schema_privilege('millbook_staging', 'create') as load`
  return row ?? { administer: false, load: false }
}

const words = (description: string) => ({ type: 'array', items: { type: 'string' }, description })

export const about = operation({
  method: 'GET',
  path: '',
  id: 'admin',
  roles: ['loader', 'operator'],
  summary: 'Rights of the service, and words that other requests accept',
  result: all({
    may: all({
      administer: flag("Whether the service's database login may read and change clients, users and the audit trail."),
      load: flag('Whether the service has a database login that may load data.'),
    }),
    groups: words('Groups of reports.'),
    grants: words('Grants of clients.'),
    roles: words('Roles of users.'),
    acts: words('Acts of the audit trail.'),
    entities: words('Entities of an import; a file is named after one.'),
    endings: all({
      workbooks: words('Endings of workbooks that can be brought in.'),
      imports: words('Endings of files of an import.'),
    }),
    limits: all({
      file_bytes: count('The largest size of a single file of an import.'),
      all_bytes: count('The largest size of all files of an import together.'),
      idle_seconds: count('An import that is not used for this time is removed.'),
    }),
  }),
  async run({ services: { database, loaderTarget }, bringing: { limits } }) {
    const rights = await rightsOf(database.quick)
    return {
      may: { ...rights, load: loaderTarget !== undefined || rights.load },
      ...{ groups, grants: GRANTS, roles: ROLES, acts: ACTS, entities: entities.map(({ name }) => name) },
      endings: ENDINGS,
      limits: {
        ...{ file_bytes: limits.fileBytes, all_bytes: limits.allBytes },
        idle_seconds: limits.idleMs / 1000,
      },
    }
  },
})
