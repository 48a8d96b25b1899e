/** Every operation of the administration API. */
import type { JsonSchema } from '../../../kernel/report/json-schema.js'
import type { Operation } from '../operation.js'
import { about } from './about.js'
import { auditSchemas, auditTrail } from './audit.js'
import { clientSchemas, clients } from './clients.js'
import { closedPeriodSchemas, closedPeriods } from './closed-periods.js'
import { entities, entitySchemas } from './entities.js'
import { importSchemas, imports } from './imports.js'
import { loadSchemas, loads } from './loads.js'
import { mappingSchemas, mappings } from './mappings.js'
import { proposalSchemas } from './proposal.js'
import { sessionSchemas, sessions } from './sessions.js'
import { userSchemas, users } from './users.js'
import { webhookSchemas, webhooks } from './webhooks.js'

export const operations: readonly Operation[] = [
  about,
  ...clients,
  ...users,
  ...sessions,
  ...auditTrail,
  ...loads,
  ...closedPeriods,
  ...imports,
  ...mappings,
  ...entities,
  ...webhooks,
]

export const operationSchemas: Readonly<Record<string, JsonSchema>> = {
  ...{ ...clientSchemas, ...userSchemas, ...sessionSchemas },
  ...{ ...auditSchemas, ...loadSchemas, ...closedPeriodSchemas, ...importSchemas },
  ...{ ...mappingSchemas, ...proposalSchemas, ...entitySchemas, ...webhookSchemas },
}
