/** The services that are connected to a database, by the names of their sessions. */
import { PROGRAM_VERSION } from '../program-version.js'
import type { Queryable } from './db.js'

const NAME = 'millbook serve'

/** The name of a service's sessions in pg_stat_activity. */
export const SERVICE_NAME = `${NAME} ${PROGRAM_VERSION}`

export interface ConnectedService {
  /** Its name and version. */
  readonly service: string
  /** Null if this login may not see it, or for a socket on the machine of the database. */
  readonly address: string | null
  readonly connections: number
}

export const connectedServices = (db: Queryable): Promise<ConnectedService[]> => db<ConnectedService[]>`
  select application_name as service, host(client_addr) as address, count(*)::int as connections
    from pg_stat_activity
   where datname = current_database() and application_name like ${`${NAME} %`}
   group by application_name, client_addr order by application_name, client_addr`
