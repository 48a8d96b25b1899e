/**
 * What reports compute in TypeScript (docs/decisions/0047), computed by the database: each computation has a twin in PL/pgSQL, by its name.
 * A computation that changes gets another name, and its twin has to follow.
 */
import { Computed, type Read, type Sql } from '../../db/sql.js'
import { quoted } from './text.js'

/** The schema of everything that only the functions themselves use. */
export const HIDDEN = 'millbook_sql'

/** Writes what two samples of a computation have in common, with parameters in the places where they differ. */
interface Write {
  value(one: unknown, other: unknown): string
  query(one: Sql, other: Sql): string
}

type Twin = (one: Computed, other: Computed, write: Write) => string

const givenOf = <T>({ given }: Computed): T => given as T

/** The rows of a statement as a JSON array of objects. */
const rows = (write: Write, one: Computed, other: Computed, read: string): string => {
  const [a, b] = [one, other].map(({ reads }) => reads[read] as Read) as [Read, Read]
  return `(select json_agg(r) from (${write.query(a.query, b.query)}) r)`
}

/** The statement of a computation for keys that it finds on its way, with `$1` in place of their JSON. */
function askOf({ asks }: Computed, name: string): string {
  const { query } = (asks[name] as (keys: readonly object[]) => Read)([])
  if (query.values.length !== 1) throw new Error(`${name} binds more than its keys`)
  return query.text
}

const twins: Readonly<Record<string, Twin>> = {
  'trace 1': (one, other, write) => {
    const { direction, startsWithBatch } = givenOf<{ direction: string; startsWithBatch: boolean }>(one)
    return `${HIDDEN}.trace_1(${rows(write, one, other, 'starts')}, ${quoted(direction)}, ${startsWithBatch},
      ${quoted(askOf(one, 'forward'))}, ${quoted(askOf(one, 'backward'))})`
  },
  'producible 1': (one, other, write) =>
    `${HIDDEN}.producible_1(${rows(write, one, other, 'lines')}, ${rows(write, one, other, 'stock')},
      ${write.value(one.given ?? null, other.given ?? null)})`,
  'shortage 1': (one, other, write) => {
    // The items of a plan are read by codes that TypeScript finds in its text.
    const plan =
      one.given === undefined
        ? rows(write, one, other, 'plan')
        : `${HIDDEN}.planned_1(${write.value(one.given, other.given)})`
    return `${HIDDEN}.shortage_1(${['lines', 'stock', 'orders'].map((read) => rows(write, one, other, read)).join(', ')}, ${plan})`
  },
  'history span 1': (one, other, write) => {
    const [a, b] = [one, other].map((of) => givenOf<Record<string, number | undefined>>(of)) as [
      Record<string, number | undefined>,
      Record<string, number | undefined>,
    ]
    const versions = ['from_version', 'to_version'].map((name) => write.value(a[name], b[name]))
    return `${HIDDEN}.history_span_1(${rows(write, one, other, 'state')}, ${versions.join(', ')})`
  },
}

/** The expression that computes the rows in the database, as the text of a JSON array. */
export function inDatabase(one: Computed, other: Computed, write: Write): string {
  const twin = twins[one.name]
  if (twin === undefined)
    throw new Error(`no function of the database computes "${one.name}" (src/surfaces/sql/computed.ts)`)
  return `(select ${twin(one, other, write)}::text)`
}

export const isComputed = (query: Sql): boolean => query.values.some((value) => value instanceof Computed)

/** The characters that `trim` of JavaScript removes. */
const SPACE = '[ \\t\\n\\v\\f\\r\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]'

const refuse = (message: string): string =>
  `raise exception using errcode = 'invalid_parameter_value', message = ${message}`

/** The functions that the twins call. Decimals are exact: a product of numerics has all its digits. */
export const functions = `
create function ${HIDDEN}.trace_1(starts json, direction text, starts_with_batch boolean, forward text, backward text)
  returns json language plpgsql stable as $$
#variable_conflict use_column
declare
  one text;
  -- Each batch of a direction once, with the smallest number of links from a start.
  items integer[];
  batches text[];
  depths integer[];
  more integer[];
  more_batches text[];
  level json;
  depth integer;
  found json := '[]';
begin
  if starts_with_batch and json_array_length(starts) > 1 then
    ${refuse(`(select 'sku is required: ' || string_agg(k.sku, ', ' order by k.sku collate "C") || ' have a batch of this number; give one of them'
      from json_to_recordset(starts) k(sku text))`)};
  end if;
  foreach one in array case direction when 'both' then array['forward', 'backward'] else array[direction] end loop
    items := '{}';
    batches := '{}';
    depths := '{}';
    level := coalesce(starts, '[]');
    depth := 0;
    loop
      select array_agg(k.item_id), array_agg(k.batch_no) into more, more_batches
        from (select k.item_id, k.batch_no from json_to_recordset(level) k(item_id integer, batch_no text)
              except select * from unnest(items, batches)) k;
      exit when more is null;
      items := items || more;
      batches := batches || more_batches;
      depths := depths || array_fill(depth, array[cardinality(more)]);
      execute 'select coalesce(json_agg(r), ''[]'') from (' || case one when 'forward' then forward else backward end || ') r'
         into level
        using (select json_agg(k)::text from unnest(more, more_batches) k(item_id, batch_no));
      depth := depth + 1;
    end loop;
    found := (select coalesce(json_agg(r), '[]') from (
                select * from json_to_recordset(found) f(direction text, depth integer, item_id integer, batch_no text)
                union all
                select one, u.depth, u.item_id, u.batch_no from unnest(depths, items, batches) u(depth, item_id, batch_no)) r);
  end loop;
  return found;
end $$;

-- Bills and contents of combos as a graph. Parts have their places in arrays, products before their components; the needs of the part i are
-- those from first_need[i] to before first_need[i + 1].
create function ${HIDDEN}.bills_1(lines json, others integer[], out ids integer[], out skus text[], out is_made boolean[],
                                  out first_need integer[], out needs integer[], out ratios numeric[])
  language plpgsql stable as $$
#variable_conflict use_column
declare
  edges_to integer[];
  edges_ratio numeric[];
  starts integer[];
  users integer[];
  queue integer[] := '{}';
  place integer[];
  n integer;
  i integer;
  j integer;
  at integer := 1;
begin
  with line as materialized (
         select * from json_to_recordset(coalesce(lines, '[]')) l(product integer, product_sku text, component integer, sku text, qty numeric)),
       part as materialized (
         select p.id, row_number() over (order by p.id) as i, p.sku, p.made
           from (select id, max(sku) as sku, bool_or(made) as made
                   from (select product as id, product_sku as sku, true as made from line
                         union all select component, sku, false from line where component is not null
                         union all select o.id, t.sku, false from unnest(others) o(id) join item t on t.id = o.id) p
                  group by id) p),
       need as materialized (
         select p.i as from_i, c.i as to_i, sum(l.qty) as ratio
           from line l join part p on p.id = l.product join part c on c.id = l.component group by 1, 2)
  select (select array_agg(p.id order by p.i) from part p), (select array_agg(p.sku order by p.i) from part p),
         (select array_agg(p.made order by p.i) from part p),
         (select array_agg(d.to_i order by d.from_i, d.to_i) from need d), (select array_agg(d.ratio order by d.from_i, d.to_i) from need d),
         (select array_agg(c.starts order by c.i) from (
            select p.i, (1 + coalesce(sum(e.many) over (order by p.i rows between unbounded preceding and 1 preceding), 0))::integer as starts
              from (select i from part union all select coalesce(max(i), 0) + 1 from part) p
              left join (select from_i, count(*) as many from need group by 1) e on e.from_i = p.i) c),
         (select array_agg(coalesce(u.many, 0)::integer order by p.i) from part p
            left join (select to_i, count(*) as many from need group by 1) u on u.to_i = p.i)
    into ids, skus, is_made, edges_to, edges_ratio, starts, users;
  n := coalesce(cardinality(ids), 0);
  for i in 1..n loop
    if users[i] = 0 then queue := queue || i; end if;
  end loop;
  while at <= cardinality(queue) loop
    for j in starts[queue[at]]..starts[queue[at] + 1] - 1 loop
      users[edges_to[j]] := users[edges_to[j]] - 1;
      if users[edges_to[j]] = 0 then queue := queue || edges_to[j]; end if;
    end loop;
    at := at + 1;
  end loop;
  if cardinality(queue) < n then
    raise exception 'A bill of materials contains itself: one of %. Correct one of these bills and load it again.',
      (select string_agg(skus[u.i], ', ' order by skus[u.i]) from unnest(users) with ordinality u(many, i) where u.many > 0);
  end if;
  place := array_fill(0, array[n]);
  for i in 1..n loop
    place[queue[i]] := i;
  end loop;
  first_need := '{}';
  needs := '{}';
  ratios := '{}';
  for i in 1..n loop
    first_need := first_need || cardinality(needs) + 1;
    for j in starts[queue[i]]..starts[queue[i] + 1] - 1 loop
      needs := needs || place[edges_to[j]];
      ratios := ratios || edges_ratio[j];
    end loop;
  end loop;
  first_need := first_need || cardinality(needs) + 1;
  select array_agg(ids[q.i] order by q.nth), array_agg(skus[q.i] order by q.nth), array_agg(is_made[q.i] order by q.nth)
    into ids, skus, is_made from unnest(queue) with ordinality q(i, nth);
end $$;

-- The quantities of the items of a list, in the order of ids; 0 where there is none or less.
create function ${HIDDEN}.usable_1(ids integer[], stock json, name text) returns numeric[] language sql stable as $$
  select array_agg(greatest(coalesce(s.qty, 0), 0) order by p.i)
    from unnest(ids) with ordinality p(id, i)
    left join (select (r ->> 'item_id')::integer as item_id, (r ->> name)::numeric as qty from json_array_elements(coalesce(stock, '[]')) r) s
      on s.item_id = p.id
$$;

create function ${HIDDEN}.producible_1(lines json, stock json, only_sku text) returns json language plpgsql stable as $$
#variable_conflict use_column
declare
  ids integer[];
  skus text[];
  is_made boolean[];
  first_need integer[];
  needs integer[];
  ratios numeric[];
  usable numeric[];
  n integer;
  product integer;
  reached integer[];
  queue integer[];
  at integer;
  i integer;
  j integer;
  needed numeric[];
  slopes numeric[];
  make numeric;
  slope numeric;
  numerator numeric;
  denominator numeric;
  divisor numeric;
  qty numeric;
  worst integer;
  worst_missing numeric;
  worst_slope numeric;
  missing numeric;
  is_bound boolean;
  is_bought boolean;
  whole numeric;
  limited_by integer;
  pass text;
  lacks json[];
  found json[] := '{}';
begin
  select b.* into ids, skus, is_made, first_need, needs, ratios from ${HIDDEN}.bills_1(lines, '{}') b;
  usable := ${HIDDEN}.usable_1(ids, stock, 'usable_qty');
  n := coalesce(cardinality(ids), 0);
  needed := array_fill(0::numeric, array[n]);
  slopes := needed;
  for product in 1..n loop
    continue when not is_made[product] or skus[product] <> only_sku;
    -- The product and everything that it is made of, products before their components.
    queue := array[product];
    at := 1;
    while at <= cardinality(queue) loop
      i := queue[at];
      queue := queue || array(select distinct e.i from unnest(needs[first_need[i]:first_need[i + 1] - 1]) e(i)
                               where e.i <> all (queue));
      at := at + 1;
    end loop;
    select array_agg(q.i order by q.i) into reached from unnest(queue) q(i);
    numerator := 0;
    denominator := 1;
    is_bound := true;
    whole := null;
    limited_by := null;
    lacks := '{}';
    -- 'bound' makes everything that stock does not cover; 'missing' nets one more than the result.
    pass := 'bound';
    loop
      foreach i in array reached loop
        needed[i] := 0;
        slopes[i] := 0;
      end loop;
      worst := null;
      is_bought := false;
      foreach i in array reached loop
        if i = product then
          make := numerator;
          slope := 1;
        else
          make := needed[i] - usable[i] * denominator;
          slope := slopes[i];
          if not is_made[i] then
            is_bought := true;
            missing := make;
            if pass = 'missing' then
              if missing > 0 then
                lacks := lacks || json_build_object('item_id', ids[i], 'qty', ceil(missing * 10000) / 10000);
              end if;
            elsif is_bound or missing > 0 then
              if worst is null or missing * worst_slope > worst_missing * slope then
                worst := i;
                worst_missing := missing;
                worst_slope := slope;
              end if;
            elsif missing = 0 and slope > 0 and (limited_by is null or skus[i] collate "C" < skus[limited_by] collate "C") then
              limited_by := i;
            end if;
            continue;
          end if;
          continue when make < 0 and pass <> 'bound';
        end if;
        for j in first_need[i]..first_need[i + 1] - 1 loop
          needed[needs[j]] := needed[needs[j]] + make * ratios[j];
          slopes[needs[j]] := slopes[needs[j]] + slope * ratios[j];
        end loop;
      end loop;
      exit when pass = 'missing' or not is_bought;
      if worst is null then
        whole := div(numerator, denominator);
        qty := div(numerator * 10000, denominator) / 10000;
        pass := 'missing';
        numerator := whole + 1;
        denominator := 1;
        continue;
      end if;
      limited_by := null;
      numerator := numerator * worst_slope - worst_missing;
      denominator := denominator * worst_slope;
      divisor := gcd(numerator, denominator);
      numerator := div(numerator, divisor);
      denominator := div(denominator, divisor);
      is_bound := false;
      pass := 'net';
    end loop;
    found := found || json_build_object(
      'item_id', ids[product],
      'stock_qty', coalesce((select r ->> 'stock_qty' from json_array_elements(coalesce(stock, '[]')) r
                              where (r ->> 'item_id')::integer = ids[product]), '0'),
      'producible_qty', case when whole is not null then qty end,
      'producible_whole', whole,
      'limited_by', ids[limited_by],
      'one_more_needs', array_to_json(lacks));
  end loop;
  return array_to_json(found);
end $$;

-- The items of a plan, such as 'FG-0001=500, FG-0002=200'.
create function ${HIDDEN}.planned_1(plan text) returns json language plpgsql stable as $$
#variable_conflict use_column
declare
  space constant text := ${quoted(SPACE)};
  entry constant text := space || '*=' || space || '*([0-9]{1,20}(?:[.][0-9]{1,4})?)' || space || '*(?:,|$)';
  rest text := plan;
  at integer;
  skus text[] := '{}';
  quantities numeric[] := '{}';
  unknown text;
begin
  while rest <> '' loop
    rest := regexp_replace(rest, '^' || space || '+', '');
    at := regexp_instr(rest, entry, 2);
    if at = 0 then
      ${refuse(`'plan must be codes with quantities such as FG-0001=500, FG-0002=200'`)};
    end if;
    skus := skus || left(rest, at - 1);
    quantities := quantities || (regexp_match(substr(rest, at), '^' || entry))[1]::numeric;
    rest := substr(rest, at + length((regexp_match(substr(rest, at), '^' || '(' || entry || ')'))[1]));
  end loop;
  select p.sku into unknown from unnest(skus) p(sku) where not exists (select from item i where i.sku = p.sku) limit 1;
  if unknown is not null then
    ${refuse(`'plan names ' || to_json(left(unknown, 60))::text || ', which no item has as its code'`)};
  end if;
  return (select json_agg(r) from (
    select i.id as item_id, i.sku, i.type, p.qty
      from (select u.sku, sum(u.qty) as qty from unnest(skus, quantities) u(sku, qty) group by u.sku) p join item i on i.sku = p.sku) r);
end $$;

create function ${HIDDEN}.shortage_1(lines json, stock json, orders json, plan json) returns json language plpgsql stable as $$
#variable_conflict use_column
declare
  ids integer[];
  is_made boolean[];
  first_need integer[];
  needs integer[];
  ratios numeric[];
  usable numeric[];
  on_order numeric[];
  needed numeric[];
  is_wanted boolean[];
  depths integer[];
  n integer;
  i integer;
  j integer;
  from_stock numeric;
  rest numeric;
  found json[] := '{}';
begin
  select b.ids, b.is_made, b.first_need, b.needs, b.ratios into ids, is_made, first_need, needs, ratios from ${HIDDEN}.bills_1(lines, array(
    select (r ->> 'item_id')::integer from json_array_elements(coalesce(plan, '[]')) r where r ->> 'type' <> 'SRV')) b;
  usable := ${HIDDEN}.usable_1(ids, stock, 'usable_qty');
  on_order := ${HIDDEN}.usable_1(ids, orders, 'qty');
  n := coalesce(cardinality(ids), 0);
  select array_agg(coalesce(w.qty, 0) order by p.i), array_agg(w.item_id is not null order by p.i),
         array_agg(case when w.item_id is not null then 0 end order by p.i)
    into needed, is_wanted, depths
    from unnest(ids) with ordinality p(id, i)
    left join (select (r ->> 'item_id')::integer as item_id, (r ->> 'qty')::numeric as qty
                 from json_array_elements(coalesce(plan, '[]')) r where r ->> 'type' <> 'SRV') w on w.item_id = p.id;
  for i in 1..n loop
    continue when depths[i] is null; -- not below the plan
    from_stock := least(needed[i], usable[i]);
    rest := greatest(needed[i] - from_stock - on_order[i], 0);
    for j in first_need[i]..first_need[i + 1] - 1 loop
      needed[needs[j]] := needed[needs[j]] + rest * ratios[j];
      depths[needs[j]] := greatest(depths[needs[j]], depths[i] + 1);
    end loop;
    found := found || json_build_object(
      'item_id', ids[i],
      'level', case when is_wanted[i] then 0 else depths[i] end,
      'needed_qty', needed[i],
      'used_from_stock_qty', from_stock,
      'to_make_qty', case when is_made[i] then rest else 0 end,
      'to_buy_qty', case when is_made[i] then 0 else rest end);
  end loop;
  return (select coalesce(json_agg(r), '[]') from (
    select f.*, coalesce(s.usable_qty, 0) as usable_qty, coalesce(o.qty, 0) as on_order_qty
      from json_to_recordset(array_to_json(found))
             f(item_id integer, level integer, needed_qty numeric, used_from_stock_qty numeric, to_make_qty numeric, to_buy_qty numeric)
      left join json_to_recordset(coalesce(stock, '[]')) s(item_id integer, usable_qty numeric) on s.item_id = f.item_id
      left join json_to_recordset(coalesce(orders, '[]')) o(item_id integer, qty numeric) on o.item_id = f.item_id) r);
end $$;

-- The versions that are asked for: one row.
create function ${HIDDEN}.history_span_1(state json, from_version integer, to_version integer) returns json language plpgsql stable as $$
#variable_conflict use_column
declare
  present constant integer := state -> 0 ->> 'present';
  oldest constant integer := state -> 0 ->> 'oldest';
  last constant integer := coalesce(to_version, present);
  first constant integer := coalesce(from_version, greatest(last - 1, 0));
begin
  if from_version > present or to_version > present then
    ${refuse(`format('from_version and to_version must be versions that were loaded; the present one is %s', present)`)};
  elsif first > last then
    ${refuse(`format('from_version must not be after to_version (%s), but is %s', last, first)`)};
  elsif first < last and first < oldest then
    raise exception 'What was changed then is not kept; changes after version % are. Ask with from_version => % or a later one.', oldest, oldest;
  end if;
  return json_build_array(json_build_object('first', first, 'last', last));
end $$;
`
