-- A revision is known by its number and a random mark, so that an instance notices when the history that it
-- enforces was lost with a failover or a restored backup and its numbers were used again.
alter table revisions add column mark uuid not null default gen_random_uuid();
alter table current_revision
  add column mark uuid not null default gen_random_uuid(),
  -- The longest lease that an instance ever registered with.
  add column lease_milliseconds int not null default 0,
  -- The incarnation of the database since whose beginning one full lease has passed: rows of `instances` that a
  -- failover lost hold no lease any more.
  add column settled_in text not null default '';

-- The revision that an instance is at must be there for it to go on from.
insert into revisions (n, mark, changes) select n, mark, '[]' from current_revision on conflict (n) do nothing;
update current_revision set mark = revisions.mark from revisions where revisions.n = current_revision.n;

-- Differs after every restart of the server and after every promotion of a standby. The timeline is taken from the
-- log's position, because the control file shows it only after the next checkpoint. Volatile like what it calls: only so
-- it is planned with the statement that calls it, and a report costs the server half as much.
create function database_incarnation() returns text language sql volatile as $$
  select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || extract(epoch from pg_postmaster_start_time())
$$;

-- Rewritten every second by every instance: room on the page for new versions, and swept often.
alter table instances
  add column renewed_at timestamptz not null default now(),
  set (fillfactor = 20, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- A login that has not ended. What ended one (its `jti`, the user's epoch, its key) is what the check asks; this
-- table is for people.
create table sessions (
  jti        text primary key,
  user_id    bigint not null,
  role_key   text not null,
  kid        text not null,
  epoch      bigint not null,
  ip         inet,
  user_agent text,
  issued_at  timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_newest on sessions (issued_at desc, jti desc);
create index sessions_user on sessions (user_id, issued_at desc, jti desc);
create index sessions_expiry on sessions (expires_at);

-- A retired key keeps its row, without the private part, so that its tokens are told apart from forged ones.
alter table keys
  add column deactivated_at timestamptz,
  add column retired_at timestamptz,
  alter column sealed_private drop not null,
  add constraint retired_keys_do_not_sign check (retired_at is null or not signing),
  add constraint live_keys_have_a_private_part check (retired_at is not null or sealed_private is not null);

-- A deleted user keeps its row, because its epoch must outlive its tokens; the name is free again.
alter table users
  add column deleted_at timestamptz,
  drop constraint users_canonical_username_key;
create unique index users_canonical_username on users (canonical_username) where deleted_at is null;

-- What is lost with a failover was there before it: a new table has lost nothing.
update current_revision set settled_in = database_incarnation();
