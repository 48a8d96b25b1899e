-- The rights of the two roles that Millbook can run with on a server, named after the database: <database>_service for
-- `serve`, <database>_loader for `import` and `verify`. Neither can log in; an operator creates logins that are members.
-- If someone has created it, <database>_admin adds the rights that a service needs to administer clients and users.
--
-- Every `millbook migrate` applies this file in its transaction. It revokes all rights of the roles to Millbook's tables, views,
-- sequences and functions, and grants the rights to everything but the tables of entities: src/import/entities/ declares
-- their rights, and roles.ts grants them after this file.
do $$
declare
  here constant name := current_schema();
  service constant text := current_database() || '_service';
  loader constant text := current_database() || '_loader';
  admin constant text := current_database() || '_admin';
  has_admin constant boolean := to_regrole(quote_ident(admin)) is not null;
  role text;
  owned text;
  relation text;
  rights record;
begin
  if octet_length(service) > 63 then
    raise 'the name of the database is too long for the names of its roles';
  end if;
  foreach role in array array[service, loader] loop
    if to_regrole(quote_ident(role)) is null then
      execute format('create role %I nologin', role);
    end if;
    execute format('grant usage on schema %I to %I', here, role);
  end loop;

  -- Only Millbook's own objects: the schema may contain objects of an extension.
  for owned in
    select format('%s %I.%I', case relkind when 'S' then 'sequence' else 'table' end, here, relname) from pg_class
     where relnamespace = quote_ident(here)::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')
       and pg_has_role(relowner, 'usage')
    union all
    select format('routine %s', oid::regprocedure) from pg_proc
     where pronamespace = quote_ident(here)::regnamespace and pg_has_role(proowner, 'usage')
  loop
    execute format('revoke all on %s from %I, %I', owned, service, loader);
    if has_admin then
      execute format('revoke all on %s from %I', owned, admin);
    end if;
  end loop;

  for rights in
    select * from (values
      -- Derived by the loader from the business data.
      (array['stock_closing', 'stock_flow', 'batch_closing'], 'select', 'select, insert, delete'),
      (array['purchase_order_line_received', 'purchase_order_status', 'sales_order_line_issued'], 'select', 'select'),
      -- Views; on a cluster, some are tables.
      (array['stocked_item', 'order_movement', 'invoice_movement', 'work_order_movement', 'receipt_movement',
             'order_invoice_line', 'invoice_with_order', 'invoice_line_with_order', 'today'], 'select', 'select'),
      (array['data_version'], 'select', 'select, update'),
      (array['past_version'], 'select', null),
      -- The loader cannot remove the traces of a load; the policies below limit which entries the service removes.
      (array['load_log'], 'select, delete', 'select, insert'),
      (array['known_version', 'history'], 'select', 'select'),
      -- Operators close periods and reopen them in the console; no figure of a closing changes.
      (array['closed_period'], 'select, insert, update (reopened_in)', 'select'),
      (array['closed_figure'], 'select, insert', 'select, insert'),
      (array['loaded_file', 'loaded_rows'], null, 'select, insert, update, delete'),
      (array['pull'], 'select', 'select, insert, update'),
      (array['kept_mapping', 'overview'], 'select, insert, update, delete', null),
      (array['saved_view'], 'select, insert, update, delete', null),
      -- Secrets that messages are signed with; operators create webhooks.
      (array['webhook'], 'select, update (failing_since, disabled_at, disabled_why)', null),
      (array['event', 'delivery'], 'select, insert, update, delete', null),
      (array['schema_migration'], 'select', 'select'),
      -- The loader has no rights to access data, and neither role creates clients or users.
      (array['api_client', 'api_user', 'access_version'], 'select', null),
      (array['api_token'], 'select, insert, delete', null),
      -- An operator makes the links that open the console; the service redeems them.
      (array['authorization_code'], 'select, insert, update (used_at), delete', null),
      (array['spent_token'], 'select, insert', null),
      (array['sign_in_link'], 'select, delete', null),
      (array['app_password'], 'select, insert, update (used_at), delete', null),
      (array['feed', 'feed_step', 'feed_record', 'feed_arrival'], 'select, insert, update, delete', null),
      (array['sign_in', 'rate_use'], 'select, insert, update, delete', null),
      -- The service appends to the audit trail, with the database's time; the policies below limit which entries it removes.
      (array['audit_entry'],
       'select (id, at, act), insert (act, actor, client, username, address, detail), delete', null)
    ) as decided(relations, of_service, of_loader)
  loop
    foreach relation in array rights.relations loop
      if rights.of_service is not null then
        execute format('grant %s on %I.%I to %I', rights.of_service, here, relation, service);
      end if;
      if rights.of_loader is not null then
        execute format('grant %s on %I.%I to %I', rights.of_loader, here, relation, loader);
      end if;
    end loop;
  end loop;

  execute format('grant execute on function %I.keep_described_client(text, text[]) to %I', here, service);

  -- Triggers write the past. The views of as-known.sql read it for reports.
  for relation in select c.relname from pg_trigger t join pg_class c on c.oid = t.tgrelid
                   where t.tgname = 'keep_removed' and c.relnamespace = quote_ident(here)::regnamespace loop
    execute format('grant select on %I.%I to %I, %I', here, 'past_' || relation, service, loader);
  end loop;
  if to_regnamespace('millbook_as_known') is not null then
    execute format('grant execute on function %I.forget_history(timestamptz, integer) to %I', here, service);
    execute format('grant usage on schema millbook_as_known to %I, %I', service, loader);
    execute format('grant select on all tables in schema millbook_as_known to %I, %I', service, loader);
  end if;

  execute format('grant execute on function %I.empty_staging(), %1$I.analyze_table(text, text) to %I', here, loader);
  execute format('grant usage, create on schema millbook_staging to %I', loader);

  -- On a cluster (distribute.sql).
  if to_regclass('item_shard_version') is not null then
    foreach relation in array array['stocked_item_key', 'order_movement', 'invoice_movement', 'work_order_movement',
                                    'receipt_movement', 'order_invoice_line', 'invoice_order', 'invoice_line_order', 'item_shard_version',
                                    'document_shard_version'] loop
      execute format('grant select on %I.%I to %I', here, relation, service);
      execute format('grant select, insert, update, delete on %I.%I to %I', here, relation, loader);
    end loop;
    execute format('grant update on %I.stock_closing, %1$I.stock_flow, %1$I.batch_closing to %I', here, loader);
    execute format('grant usage on sequence %I.item_id_seq, %1$I.warehouse_id_seq to %I', here, loader);
    execute format('grant usage, create on schema millbook_work to %I', loader);
    execute format('grant select on millbook_work.foreign_key to %I', loader);
  end if;

  -- A compromised service cannot hide its traces: it adds no entry in the name of an administrator, and removes only entries
  -- about tokens that are older than a year. The owner may do everything.
  execute format('alter table %I.audit_entry enable row level security', here);
  execute format('drop policy if exists service_reads on %I.audit_entry', here);
  execute format('drop policy if exists service_adds on %I.audit_entry', here);
  execute format('drop policy if exists service_forgets on %I.audit_entry', here);
  execute format('create policy service_reads on %I.audit_entry for select to %I using (true)', here, service);
  execute format($policy$create policy service_adds on %I.audit_entry for insert to %I
                           with check (act !~ '^(client|user|webhook)\.' or act = 'webhook.disable')$policy$, here, service);
  execute format($policy$create policy service_forgets on %I.audit_entry for delete to %I
                           using (act ~ '^token\.' and at < now() - interval '1 year')$policy$, here, service);

  -- The loader adds to the log of loads and cannot remove entries; the service removes entries that are older than a year.
  execute format('alter table %I.load_log enable row level security', here);
  execute format('drop policy if exists reads on %I.load_log', here);
  execute format('drop policy if exists loader_adds on %I.load_log', here);
  execute format('drop policy if exists service_forgets on %I.load_log', here);
  execute format('create policy reads on %I.load_log for select using (true)', here);
  execute format('create policy loader_adds on %I.load_log for insert to %I with check (true)', here, loader);
  execute format($policy$create policy service_forgets on %I.load_log for delete to %I
                           using (committed_at < now() - interval '1 year')$policy$, here, service);

  -- For a login that has the role of the service too: the console can then administer clients and users.
  execute format('drop policy if exists admin_reads on %I.audit_entry', here);
  execute format('drop policy if exists admin_adds on %I.audit_entry', here);
  if has_admin then
    execute format('grant usage on schema %I to %I', here, admin);
    execute format('grant select, insert, update, delete on %I.api_client, %1$I.api_user, %1$I.webhook to %I', here, admin);
    execute format('grant select, insert (act, actor, client, username, address, detail) on %I.audit_entry to %I', here, admin);
    execute format('create policy admin_reads on %I.audit_entry for select to %I using (true)', here, admin);
    execute format('create policy admin_adds on %I.audit_entry for insert to %I with check (true)', here, admin);
  end if;

  -- Rights to the database and the schema, if the owner of the tables owns these too.
  if pg_has_role((select datdba from pg_database where datname = current_database()), 'usage') then
    execute format('grant connect on database %I to %I, %I', current_database(), service, loader);
  end if;
  if pg_has_role((select nspowner from pg_namespace where nspname = here), 'usage') then
    execute format('revoke create on schema %I from public', here);
  end if;
end $$;
