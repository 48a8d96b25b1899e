/** The nodes of a cluster, as `millbook doctor` lists them. */
import type { Queryable } from '../db.js'

export interface Node {
  readonly name: string
  /** Whether the coordinator can connect to it. */
  readonly answers: boolean
}

export const readNodes = (db: Queryable): Promise<Node[]> => db<Node[]>`
  select nodename || ':' || nodeport as name, citus_check_connection_to_node(nodename, nodeport) as answers
    from pg_dist_node where isactive and groupid <> 0 order by nodeid`
