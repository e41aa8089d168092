-- The audit log is one chain: each record is bound to the one before it by a hash, and the first to the deployment. The
-- database binds them when a transaction commits, so that those of older instances are bound too. It knows no key: what
-- makes the chain evidence are its signed heads, and those that are kept elsewhere.
create table audit_log_chain (
  seq  bigint primary key check (seq between 1 and 9007199254740991),
  id   uuid not null,
  hash bytea not null
);
create index audit_log_chain_id on audit_log_chain (id);

-- Where the chain ends: the one row that every writer locks, last of all.
create table audit_log_end (
  seq  bigint not null,
  hash bytea not null,
  one  boolean primary key default true check (one)
);

-- How far the chain reached, signed with a key that the database does not hold.
create table audit_log_heads (
  seq       bigint primary key,
  hash      bytea not null,
  at        timestamptz not null default now(),
  signature bytea not null
);

-- `log verify` computes the same by itself (logs/audit/audit-chain.ts). A value is its length and itself, or `-` where there is
-- none; none of them depends on the settings of a session.
create function audit_log_value(value text) returns text language sql stable
return coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-');

create function audit_log_hash(previous bytea, seq bigint, record audit_log) returns bytea language sql stable
return sha256(previous || convert_to(concat_ws(',',
  audit_log_value(seq::text), audit_log_value(record.id::text), audit_log_value(extract(epoch from record.at)::text),
  audit_log_value(record.actor_id::text), audit_log_value(record.actor_name), audit_log_value(record.actor_role),
  audit_log_value(record.action), audit_log_value(record.target), audit_log_value(record.before::text),
  audit_log_value(record.after::text), audit_log_value(record.request_id), audit_log_value(record.ip::text)
), 'UTF8'));

create function chain_audit_record() returns trigger
language plpgsql security definer
as $$
declare
  last audit_log_end;
  hash_of_it bytea;
begin
  select * into strict last from audit_log_end for update;
  hash_of_it := audit_log_hash(last.hash, last.seq + 1, new);
  insert into audit_log_chain (seq, id, hash) values (last.seq + 1, new.id, hash_of_it);
  update audit_log_end set seq = last.seq + 1, hash = hash_of_it;
  return null;
end
$$;

-- Whoever may only add records cannot put other tables in the place of these.
do $$
begin
  execute format('alter function chain_audit_record() set search_path = %I, pg_temp', current_schema());
end
$$;

-- Until the trigger is there nobody adds a record; those that are there already are the beginning of the chain.
lock table audit_log in share row exclusive mode;

insert into audit_log_end (seq, hash)
select 0, sha256(convert_to('portcullis audit log 1 ' || id, 'UTF8')) from deployment;

do $$
declare
  found audit_log;
  last audit_log_end;
begin
  select * into strict last from audit_log_end;
  for found in select * from audit_log order by id loop
    last.seq := last.seq + 1;
    last.hash := audit_log_hash(last.hash, last.seq, found);
    insert into audit_log_chain (seq, id, hash) values (last.seq, found.id, last.hash);
  end loop;
  update audit_log_end set seq = last.seq, hash = last.hash;
end
$$;

-- At the commit: then the transaction holds all that it needs, and waits for nobody who waits for it.
create constraint trigger audit_log_chained after insert on audit_log
  deferrable initially deferred for each row execute function chain_audit_record();
