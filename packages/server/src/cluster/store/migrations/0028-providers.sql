-- Where somebody else says who a person is: an OpenID provider, a directory. `epoch` grows when what was proven there
-- before proves nothing any more.
create table providers (
  id               bigint generated always as identity primary key,
  key              text not null unique check (key ~ '^[a-z][a-z0-9-]{0,31}$'),
  kind             text not null check (kind in ('oidc', 'oauth', 'ldap')),
  name             text not null check (length(name) between 1 and 64),
  enabled          boolean not null default false,
  settings         jsonb not null,
  sealed_secret    bytea,
  admission        text not null default 'linked' check (admission in ('linked', 'invited', 'created')),
  -- Whether roles are given here, at the first login by the groups there, or at every one.
  role_source      text not null default 'here' check (role_source in ('here', 'first', 'always')),
  -- Of who is created at the first login, where no mapping says more.
  role_id          bigint references roles (id),
  department_id    bigint references departments (id),
  -- Takes the names that no account here has.
  is_default       boolean not null default false,
  lifetime_seconds int check (lifetime_seconds between 300 and 86400),
  epoch            bigint not null default 1,
  revision         bigint not null default 1,
  created_at       timestamptz not null default clock_timestamp()
);
create unique index providers_default on providers (is_default) where is_default;
-- An answer at one address is of one provider.
create unique index providers_redirect on providers ((settings ->> 'redirectUri'));
create trigger providers_revision before update of name, settings, sealed_secret, admission, role_source, role_id,
  department_id, is_default, lifetime_seconds, enabled on providers
  for each row execute function count_revision();

create table provider_mappings (
  provider_id   bigint not null references providers (id) on delete cascade,
  position      int not null check (position between 1 and 1000),
  group_name    text not null check (length(group_name) between 1 and 512),
  role_id       bigint not null references roles (id),
  department_id bigint references departments (id),
  primary key (provider_id, position)
);

-- A link: this subject of this provider is this user. Nothing else ever is: no mail address, no name.
alter table credentials
  add column provider_id bigint references providers (id),
  -- Those that the provider named when it was last asked.
  add column groups jsonb,
  add constraint credentials_link_provider check ((kind = 'link') = (provider_id is not null)),
  add constraint credentials_link_subject check (kind <> 'link' or subject is not null);
drop index credentials_subject;
create unique index credentials_subject on credentials (kind, subject)
  where subject is not null and ended_at is null and kind <> 'link';
create unique index credentials_link on credentials (provider_id, subject) where kind = 'link' and ended_at is null;
create unique index credentials_one_link on credentials (user_id, provider_id) where kind = 'link' and ended_at is null;
create index credentials_provider on credentials (provider_id, id) where kind = 'link';

-- An administrator's word that whoever has the code is this user at this provider. It links, once, and does nothing else.
create table link_invitations (
  user_id     bigint not null references users (id),
  provider_id bigint not null references providers (id) on delete cascade,
  hash        bytea not null unique,
  expires_at  timestamptz not null,
  primary key (user_id, provider_id)
);
create index link_invitations_expiry on link_invitations (expires_at);

-- Somebody who is signed in, on the way to a provider and back.
create unlogged table link_attempts (
  handle_hash bytea primary key,
  user_id     bigint not null,
  provider_id bigint not null,
  jti         text not null,
  expires_at  timestamptz not null
);
create index link_attempts_expiry on link_attempts (expires_at);

-- What providers said has ended: a login that began before is not finished.
create table provider_logouts (
  provider_id bigint not null references providers (id) on delete cascade,
  -- `unnamed`: of the subject's sessions, those of which the provider did not say at the login which they are.
  kind        text not null check (kind in ('session', 'subject', 'unnamed')),
  value       text not null,
  ended_at    timestamptz not null,
  expires_at  timestamptz not null,
  primary key (provider_id, kind, value)
);
create index provider_logouts_expiry on provider_logouts (expires_at);

-- One-time values that others made, such as the ids of logout tokens.
create table seen_ids (
  kind       text not null,
  id_hash    bytea not null,
  expires_at timestamptz not null,
  primary key (kind, id_hash)
);
create index seen_ids_expiry on seen_ids (expires_at);

alter table login_attempts
  add column provider_id      bigint,
  add column provider_epoch   bigint,
  add column provider_session text,
  add column link_id          bigint,
  add column began_at         timestamptz not null default clock_timestamp();

alter table sessions
  add column provider_id      bigint,
  add column provider_epoch   bigint,
  add column provider_session text,
  -- The link, also where a second factor was the last step.
  add column link_id          bigint,
  -- When the login began, by the clock of this database.
  add column began_at         timestamptz;
create index sessions_provider on sessions (provider_id, provider_session) where provider_id is not null;
create index sessions_link on sessions (link_id) where link_id is not null;

-- Records of the version before have none, and are bound without.
alter table login_log add column provider text;

-- A session by a provider is stored only while the provider is enabled as it was when it was asked, the link stands, and
-- the provider has not ended what it rests on. Whoever takes one of these away holds the lock exclusively until that is
-- committed; the user's lock, which a link is ended under, was taken by the trigger before.
create function guard_provider_session() returns trigger language plpgsql security definer as $$
declare
  linked text;
begin
  perform pg_advisory_xact_lock_shared(1886352750, hashtext(new.provider_id::text));
  if new.provider_session is not null then
    perform pg_advisory_xact_lock_shared(1886352751, hashtext(new.provider_id || ' ' || new.provider_session));
  end if;
  select subject into linked from credentials where id = new.link_id;
  perform pg_advisory_xact_lock_shared(1886352752, hashtext(new.provider_id || ' ' || linked));
  if not exists (
    select from providers where id = new.provider_id and enabled and epoch = new.provider_epoch
  ) or not exists (
    select from credentials
    where id = new.link_id and user_id = new.user_id and kind = 'link' and provider_id = new.provider_id
      and confirmed_at is not null and ended_at is null
  ) or new.began_at is null or exists (
    select from provider_logouts
    where provider_id = new.provider_id
      and (kind = 'session' and value = new.provider_session
        or (kind = 'subject' or kind = 'unnamed' and new.provider_session is null)
          and value = linked and ended_at >= new.began_at)
  ) then
    raise exception 'The provider does not stand for this login any more.' using errcode = 'PF002';
  end if;
  return new;
end
$$;

create trigger sessions_provider_guard before insert on sessions
  for each row when (new.provider_id is not null or new.link_id is not null)
  execute function guard_provider_session();

create function drop_link_invitations() returns trigger language plpgsql security definer as $$
begin
  delete from link_invitations where user_id = new.id;
  return null;
end
$$;

create trigger users_link_invitations after update of deleted_at on users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function drop_link_invitations();

do $$
begin
  execute format('alter function guard_provider_session() set search_path = %I, pg_temp', current_schema());
  execute format('alter function drop_link_invitations() set search_path = %I, pg_temp', current_schema());
end
$$;
