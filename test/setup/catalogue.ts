/** The schema of a database as lines of text, from PostgreSQL's catalogues. The order of columns is not part of it. */
import type { Queryable } from '../../src/db/db.js'

export async function catalogueOf(db: Queryable): Promise<string[]> {
  const lines = await db<{ line: string }[]>`
    with
      here as (select oid from pg_namespace where nspname in ('public', 'millbook_staging')),
      relation as (select * from pg_class where relnamespace in (select oid from here)),
      routine as (select * from pg_proc where pronamespace in (select oid from here))
    select line from (
      select concat_ws(' ', 'relation', relname, relkind, relpersistence, relrowsecurity, reloptions) as line
        from relation where relkind <> 'i'
      union all
      select concat_ws(' ', 'column', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
                       case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
                       'identity', a.attidentity, 'generated', a.attgenerated,
                       a.attcollation::regcollation, a.attstorage)
        from relation c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where c.relkind in ('r', 'v')
      union all
      select concat_ws(' ', 'constraint', conrelid::regclass, contypid::regtype, conname, pg_get_constraintdef(oid), convalidated)
        from pg_constraint where connamespace in (select oid from here) and contype <> 'n'
      union all
      select concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), i.indisvalid) from pg_index i join relation c on c.oid = i.indrelid
      union all
      select concat_ws(' ', 'view', c.relname, string_agg(word, ' ' order by word))
        from relation c cross join regexp_split_to_table(pg_get_viewdef(c.oid), '[\\s,;]+') word
       where c.relkind = 'v' group by c.relname
      union all
      select concat_ws(' ', 'function', pg_get_functiondef(oid), proacl is null) from routine where prokind = 'f'
      union all
      select concat_ws(' ', 'aggregate', p.oid::regprocedure, to_jsonb(a)) from routine p join pg_aggregate a on a.aggfnoid = p.oid
      union all
      select concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid), t.tgenabled)
        from pg_trigger t join relation c on c.oid = t.tgrelid where not t.tgisinternal
      union all
      select concat_ws(' ', 'type', typname, typtype, format_type(typbasetype, typtypmod), typnotnull, typdefault,
                       typcollation::regcollation, (select string_agg(enumlabel, ' ' order by enumsortorder) from pg_enum e where e.enumtypid = t.oid))
        from pg_type t where typnamespace in (select oid from here) and typtype in ('d', 'e')
      union all
      select concat_ws(' ', 'sequence', s.seqrelid::regclass, s.seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcycle,
                       'of', d.refobjid::regclass, a.attname)
        from pg_sequence s left join pg_depend d on d.objid = s.seqrelid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
        left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    ) lines order by line`
  return lines.map(({ line }) => line)
}
