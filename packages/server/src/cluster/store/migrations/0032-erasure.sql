-- People who are erased while the chains of both logs stay (docs/decisions/0036-erasure.md). The signature is that of the
-- service, which asked whether the caller may: a row that somebody else puts here is not acted on.
create table erasures (
  id            uuid primary key,
  user_id       bigint not null unique,
  -- Tells the account from another one that has its number after a restore.
  reference     bytea not null,
  at            timestamptz not null,
  signature     bytea not null,
  login_records bigint not null default 0,
  audit_records bigint not null default 0,
  other_rows    bigint not null default 0,
  -- Of the records, those that were not as they were written: they have no seal, and still show as changed.
  unsealed      bigint not null default 0,
  finished_at   timestamptz
);
create index erasures_open on erasures (id) where finished_at is null;
create index erasures_finished on erasures (finished_at);

-- By which erasure a record was erased, and what vouches for it under a key that the database does not hold.
alter table login_log add column erasure uuid, add column seal bytea;
alter table login_log_dead_letters add column erasure uuid, add column seal bytea;
alter table audit_log_chain add column erasure uuid, add column seal bytea;

-- Every text goes; numbers, yes and no, and the names of the fields stay.
create function without_texts(value jsonb) returns jsonb language plpgsql immutable as $$
begin
  return case jsonb_typeof(value)
    when 'string' then '"[erased]"'::jsonb
    when 'object' then
      (select coalesce(jsonb_object_agg(field.key, without_texts(field.value)), '{}') from jsonb_each(value) as field)
    when 'array' then
      (select coalesce(jsonb_agg(without_texts(item.value) order by item.n), '[]')
       from jsonb_array_elements(value) with ordinality as item (value, n))
    else value
  end;
end
$$;

-- Whether a record is about somebody, and not only made by them. That of an erasure names nobody.
create function is_about_person(record audit_log, person bigint) returns boolean language sql immutable
return record.action <> 'user.erase' and (record.target = 'user ' || person
  or (record.action = 'session.end' and record.before ->> 'userId' = person::text));

-- A record of the audit log without what names the person.
create function erased_audit_record(record audit_log, person bigint) returns audit_log language plpgsql immutable as $$
begin
  if is_about_person(record, person) then
    record.before := without_texts(record.before);
    record.after := without_texts(record.after);
  end if;
  if record.actor_id = person then
    record.actor_name := '[erased]';
    record.ip := '::';
  end if;
  -- What is left of the record must not tell how to guess the rest from its hash.
  record.request_id := '[erased]';
  return record;
end
$$;

-- The service may only add to both logs. What it may overwrite, it overwrites through these, of somebody whose erasure is
-- begun and not finished. What has no seal shows as changed.
create function erase_login_records(person bigint, ids uuid[], seals bytea[]) returns int
language plpgsql security definer as $$
declare
  erased_by uuid;
  records   int;
begin
  select id into erased_by from erasures where user_id = person and finished_at is null for update;
  if not found then
    return 0;
  end if;
  update login_log set username = '[erased]', ip = null, user_agent = null, browser = null, os = null, platform = null,
    location = null, request_id = '[erased]', jti = null, erasure = erased_by, seal = given.seal
  from unnest(ids, seals) as given (id, seal)
  where login_log.id = given.id and login_log.erasure is null
    and (login_log.user_id = person or login_log.user_id is null);
  get diagnostics records = row_count;
  update erasures set login_records = login_records + records,
    unsealed = unsealed + (select count(*) from login_log where login_log.id = any(ids) and seal is null and chain is not null)
  where id = erased_by;
  return records;
end
$$;

create function erase_dead_letter(person bigint, letter uuid, without bytea, with_seal bytea) returns int
language plpgsql security definer as $$
declare
  erased_by uuid;
  records   int;
begin
  select id into erased_by from erasures where user_id = person and finished_at is null for update;
  update login_log_dead_letters set raw = without, cause = '[erased]', erasure = erased_by, seal = with_seal
  where erased_by is not null and id = letter and erasure is null;
  get diagnostics records = row_count;
  update erasures set login_records = login_records + records,
    unsealed = unsealed + case when with_seal is null then records else 0 end where id = erased_by;
  return records;
end
$$;

-- A record may name two people, one who did something to the other: it is erased for each of them.
create function erase_audit_records(person bigint, ids uuid[], seals bytea[]) returns int
language plpgsql security definer as $$
declare
  erased_by uuid;
  records   int;
  bare      int;
begin
  select id into erased_by from erasures where user_id = person and finished_at is null for update;
  if not found then
    return 0;
  end if;
  with erased as (
    update audit_log set actor_name = made.actor_name, ip = made.ip, before = made.before, after = made.after,
      request_id = made.request_id
    from audit_log as was, erased_audit_record(was, person) as made
    where was.id = any(ids) and audit_log.id = was.id and (was.actor_id = person or is_about_person(was, person))
    returning audit_log.id
  ), sealed as (
    update audit_log_chain set erasure = erased_by, seal = given.seal
    from erased join unnest(ids, seals) as given (id, seal) on given.id = erased.id
    where audit_log_chain.id = erased.id returning audit_log_chain.seal
  )
  select (select count(*) from erased), (select count(*) from sealed where seal is null) into records, bare;
  update erasures set audit_records = audit_records + records, unsealed = unsealed + bare where id = erased_by;
  return records;
end
$$;

create function erase_rule_history(person bigint) returns int
language plpgsql security definer as $$
declare
  records int;
begin
  update rule_history set username = '[erased]' where user_id = person and username <> '[erased]'
    and exists (select from erasures where erasures.user_id = person and finished_at is null);
  get diagnostics records = row_count;
  return records;
end
$$;

-- Nobody but the service calls them (`migrate --service-role`), and nobody puts other tables in the place of these.
do $$
declare
  name text;
begin
  foreach name in array array['erase_login_records(bigint, uuid[], bytea[])', 'erase_dead_letter(bigint, uuid, bytea, bytea)',
    'erase_audit_records(bigint, uuid[], bytea[])', 'erase_rule_history(bigint)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', name, current_schema());
    execute format('revoke execute on function %s from public', name);
  end loop;
end
$$;
