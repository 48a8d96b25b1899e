-- Assistants: tokens that open /mcp and nothing else, and the other way round (docs/decisions/0044).

-- For what a code or a token was asked (RFC 8707). Null: the API.
alter table authorization_code add column resource text collate "C" check (resource = 'mcp');
alter table api_token add column resource text collate "C" check (resource = 'mcp');

-- Programs that describe themselves: public clients, whose id is the URL of a document. The service may write no other client, so
-- this function has the rights of its owner, and makes only such ones.
create function keep_described_client(url text, uris text[]) returns void language plpgsql security definer as $$
begin
  if url !~ '^https://[^/]+/.' then
    raise exception '% is not the address of a document', url;
  end if;
  insert into api_client (client_id, name, grants, redirect_uris)
  values (url, substr(url, length('https://') + 1), array['authorization_code', 'refresh_token'], uris)
  on conflict (client_id) do nothing;
end $$;

do $$ begin
  execute format('alter function keep_described_client(text, text[]) set search_path = %I, pg_temp', current_schema());
  revoke execute on function keep_described_client(text, text[]) from public;
end $$;
