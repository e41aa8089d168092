-- What people ask to be allowed for a while, and the answers. Nobody is allowed anything by a row of this table: an answer
-- that gives makes a temporary rule.
create table access_requests (
  id          bigint generated always as identity primary key,
  user_id     bigint not null references users (id) on delete cascade,
  method      text not null,
  path        text not null,
  -- The path of the endpoint that it belonged to when it was asked for.
  pattern     text not null,
  reason      text not null check (length(reason) <= 500),
  seconds     integer not null,
  asked_at    timestamptz not null default clock_timestamp(),
  revision    bigint not null default 1,
  state       text not null default 'open' check (state in ('open', 'given', 'refused', 'withdrawn')),
  answered_by text,
  answered_at timestamptz,
  note        text check (length(note) <= 500),
  given_path  text,
  ends_at     timestamptz
);

create unique index access_requests_same on access_requests (user_id, path, method) where state = 'open';
create index access_requests_open on access_requests (id) where state = 'open';
create index access_requests_user on access_requests (user_id, id);
create index access_requests_asked_at on access_requests (asked_at);

create trigger access_requests_revision before update of reason, seconds on access_requests
  for each row when ((old.reason, old.seconds) is distinct from (new.reason, new.seconds))
  execute function count_revision();

-- Whoever is deleted asks for nothing any more, also where an instance of the version before deletes.
create function drop_access_requests() returns trigger language plpgsql security definer as $$
begin
  delete from access_requests where user_id = new.id;
  return null;
end
$$;

create trigger users_access_requests after update of deleted_at on users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function drop_access_requests();

-- Whoever may write users cannot put another table in the place of this one.
do $$
begin
  execute format('alter function drop_access_requests() set search_path = %I, pg_temp', current_schema());
end
$$;
