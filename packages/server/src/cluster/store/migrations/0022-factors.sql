-- What proves who somebody is beside the password. `factor` is what it proves: 2 a second factor, 3 one that cannot be
-- given to a false site. One that ended keeps its row, without its secret: whoever had a factor once does not enrol alone.
create table credentials (
  id            bigint generated always as identity primary key,
  user_id       bigint not null references users (id),
  kind          text not null check (kind ~ '^[a-z]{1,16}$'),
  factor        smallint not null check (factor between 1 and 3),
  -- Of a passkey its id, as base64url.
  subject       text check (length(subject) between 1 and 1400),
  name          text not null default '' check (length(name) <= 64),
  public_part   jsonb,
  sealed_secret bytea,
  -- Of a TOTP the last accepted step, of a passkey its signature counter: it only grows.
  counter       bigint not null default 0,
  confirmed_at  timestamptz,
  used_at       timestamptz,
  ended_at      timestamptz,
  created_at    timestamptz not null default clock_timestamp()
);
create index credentials_user on credentials (user_id, id);
create unique index credentials_subject on credentials (kind, subject) where subject is not null and ended_at is null;
create unique index credentials_one_totp on credentials (user_id)
  where kind = 'totp' and confirmed_at is not null and ended_at is null;

-- 80 random bits each: their SHA-256 tells nobody a code, and outlives a change of the master key.
create table recovery_codes (
  user_id bigint not null references users (id),
  hash    bytea not null,
  used_at timestamptz,
  primary key (user_id, hash)
);

-- One enrolment on the way in, opened by an administrator who took a factor away.
create table enrolment_codes (
  user_id    bigint primary key references users (id),
  hash       bytea not null,
  expires_at timestamptz not null
);

-- Logins of more than one step. A row gives access to nothing, and is lost with a crash of the database: whoever was
-- logging in begins again.
create unlogged table login_attempts (
  handle_hash   bytea primary key,
  captcha_mac   bytea not null,
  user_id       bigint,
  epoch         bigint,
  passed        text[] not null default '{}',
  -- What is being enrolled.
  credential_id bigint,
  tries         smallint not null default 0,
  expires_at    timestamptz not null
);
create index login_attempts_expiry on login_attempts (expires_at);

alter table roles add column factor smallint not null default 1 check (factor between 1 and 3);

alter table sessions
  add column method        text not null default 'password',
  add column credential_id bigint,
  add column factor        smallint not null default 1;
create index sessions_role_factor on sessions (role_key, factor);
create index sessions_credential on sessions (credential_id) where credential_id is not null;

-- Records of the version before have none, and are bound without.
alter table login_log
  add column method        text,
  add column credential_id bigint;

-- A session is stored only where it proves what is demanded now. Whoever raises a demand or ends a credential holds the lock
-- exclusively until that is committed; the lock is a statement of its own, so that what follows it sees it. As a trigger it
-- holds for instances of the version before, too.
create function guard_session() returns trigger language plpgsql security definer as $$
declare
  demanded smallint;
begin
  perform pg_advisory_xact_lock_shared(1886352748, hashtext(new.role_key));
  perform pg_advisory_xact_lock_shared(1886352749, hashtext(new.user_id::text));
  select factor into demanded from roles where role_key = new.role_key;
  if new.factor < 2 and exists (
    select from credentials
    where user_id = new.user_id and factor > 1 and confirmed_at is not null and ended_at is null
  ) then
    demanded := greatest(demanded, 2);
  end if;
  if new.factor < coalesce(demanded, 1) or (new.credential_id is not null and not exists (
    select from credentials
    where id = new.credential_id and user_id = new.user_id and confirmed_at is not null and ended_at is null
  )) then
    raise exception 'A stronger login is demanded.' using errcode = 'PF001';
  end if;
  return new;
end
$$;

create trigger sessions_guard before insert on sessions for each row execute function guard_session();

-- Whoever is deleted proves nothing any more, also where an instance of the version before deletes.
create function drop_credentials() returns trigger language plpgsql security definer as $$
begin
  delete from credentials where user_id = new.id;
  delete from recovery_codes where user_id = new.id;
  delete from enrolment_codes where user_id = new.id;
  return null;
end
$$;

create trigger users_credentials after update of deleted_at on users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function drop_credentials();

-- Whoever may write sessions or users cannot put other tables in the place of these.
do $$
begin
  execute format('alter function guard_session() set search_path = %I, pg_temp', current_schema());
  execute format('alter function drop_credentials() set search_path = %I, pg_temp', current_schema());
end
$$;
