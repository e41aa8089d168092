-- How far each chain of the login log reaches. The database notes it in the transaction of the records themselves, also for
-- older instances: what stands here is there to be read, and nothing of a chain appears behind it.
create table login_log_chains (
  chain     uuid primary key,
  -- The first record that was noted; those before it are older than this table.
  first_seq bigint not null,
  first_id  uuid not null,
  seq       bigint not null,
  id        uuid not null
) with (fillfactor = 50);

create function note_login_log_chains() returns trigger
language plpgsql security definer
as $$
begin
  insert into login_log_chains as noted (chain, first_seq, first_id, seq, id)
  select chain, min(seq), (array_agg(added.id order by seq))[1], max(seq), (array_agg(added.id order by seq desc))[1]
  from added where chain is not null group by chain order by chain
  on conflict (chain) do update set seq = excluded.seq, id = excluded.id where excluded.seq > noted.seq;
  return null;
end
$$;

-- Whoever may only add records cannot put another table in the place of this one.
do $$
begin
  execute format('alter function note_login_log_chains() set search_path = %I, pg_temp', current_schema());
end
$$;

create trigger login_log_noted after insert on login_log
  referencing new table as added for each statement execute function note_login_log_chains();
create trigger login_log_dead_letters_noted after insert on login_log_dead_letters
  referencing new table as added for each statement execute function note_login_log_chains();

-- To whom the events of both logs are told.
create table webhooks (
  id              bigint generated always as identity primary key,
  name            text not null check (length(name) between 1 and 64),
  url             text not null check (length(url) between 1 and 2048),
  -- Kinds of events, or `user.*`; none means all.
  kinds           text[] not null default '{}',
  enabled         boolean not null default true,
  sealed_secret   bytea not null,
  -- Signs too until then, so that a receiver can change from one secret to the other.
  sealed_previous bytea,
  previous_until  timestamptz,
  -- Grows with every change; whoever delivers goes by `held_revision`.
  revision        bigint not null default 1,
  -- Up to where the audit log was told.
  audit_seq       bigint not null,
  delivered       bigint not null default 0,
  failed          bigint not null default 0,
  skipped         bigint not null default 0,
  -- Records that were swept before they were told.
  gone            bigint not null default 0,
  failures_in_row int not null default 0,
  rest_until      timestamptz,
  problem         text,
  delivered_at    timestamptz,
  ended_at        timestamptz,
  created_at      timestamptz not null default now(),
  held_by         uuid,
  held_until      timestamptz,
  held_revision   bigint
);

-- Up to where each chain of the login log was told.
create table webhook_places (
  hook_id bigint not null references webhooks on delete cascade,
  chain   uuid not null,
  seq     bigint not null,
  id      uuid not null,
  primary key (hook_id, chain)
);

-- Events that were passed by: each names its record and holds none of it. The first of an object is tried again or dead; the
-- others wait behind it.
create table webhook_letters (
  n           bigint generated always as identity primary key,
  hook_id     bigint not null references webhooks on delete cascade,
  log         text not null check (log in ('audit', 'login')),
  record_id   uuid not null,
  kind        text not null,
  object      text not null,
  recorded_at timestamptz not null,
  state       text not null check (state in ('retrying', 'dead', 'waiting')),
  tries       int not null default 0,
  next_at     timestamptz not null default now(),
  problem     text,
  unique (hook_id, record_id)
);
create index webhook_letters_object on webhook_letters (hook_id, log, object, n);
create index webhook_letters_due on webhook_letters (hook_id, next_at) where state = 'retrying';
create index webhook_letters_dead on webhook_letters (hook_id, n) where state = 'dead';
