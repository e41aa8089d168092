-- Accounts of programs: no password, but keys whose public part is a credential of the kind `key`.
--
-- The password is '!', which is no hash: nothing that is typed matches it, in this version and in the one before, which
-- reads a text there. The constraint holds for the one before, too: it cannot give such an account a password.
-- Not valid: every row that is there has the default, and the table may be large.
alter table users add column kind text not null default 'person';
alter table users
  add constraint users_kind check (kind in ('person', 'service')) not valid,
  add constraint users_service_password check (kind = 'person' or (password_hash = '!' and not password_due)) not valid;
create index users_service on users (canonical_username collate "C") where kind = 'service' and deleted_at is null;

-- An assertion is good once, on whichever instance it comes first.
create table used_assertions (
  id_hash    bytea primary key,
  expires_at timestamptz not null
);
create index used_assertions_expiry on used_assertions (expires_at);

-- A service account proves with keys and nothing else, and nobody else does. Of what kind an account is never changes, so
-- this takes no lock; that the key has not ended is asked by `guard_session`, under its own. Not asked of a password, which
-- a service account does not have: where another verifier takes its place, a login asks no stored user at all.
create function guard_service_session() returns trigger language plpgsql security definer as $$
begin
  if (new.method = 'key') <> exists (select from users where id = new.user_id and kind = 'service')
    or (new.method = 'key' and new.credential_id is null)
  then
    raise exception 'Service accounts prove with keys, and nobody else does.' using errcode = 'PF001';
  end if;
  return new;
end
$$;

create trigger sessions_guard_service before insert on sessions
  for each row when (new.method <> 'password') execute function guard_service_session();

create function guard_service_credential() returns trigger language plpgsql security definer as $$
begin
  if (new.kind = 'key') <> exists (select from users where id = new.user_id and kind = 'service') then
    raise exception 'Service accounts have keys, and nobody else has.';
  end if;
  return new;
end
$$;

create trigger credentials_guard_service before insert on credentials
  for each row execute function guard_service_credential();

create function keep_user_kind() returns trigger language plpgsql as $$
begin
  raise exception 'An account stays of its kind.';
end
$$;

create trigger users_keep_kind before update of kind on users
  for each row when (old.kind <> new.kind) execute function keep_user_kind();

-- Whoever may write sessions or credentials cannot put other tables in the place of these.
do $$
begin
  execute format('alter function guard_service_session() set search_path = %I, pg_temp', current_schema());
  execute format('alter function guard_service_credential() set search_path = %I, pg_temp', current_schema());
end
$$;
