-- The address of a person, as an administrator gave it; nobody has to have one. Capitals do not tell two apart.
alter table users add column mail text check (length(mail) between 3 and 254);
create unique index users_mail on users (lower(mail collate "C")) where mail is not null and deleted_at is null;

-- What is to be told by mail. A row is added in the transaction of what it tells, and says no secret: the code of a link is made
-- from the id and the master key. What names somebody is gone from it once it was sent.
create table mails (
  id         uuid primary key default gen_random_uuid(),
  kind       text not null check (kind ~ '^[a-z_]{1,32}$'),
  -- Of a forgotten password the one whose address it is, if anybody's, once somebody looked.
  user_id    bigint references users (id) on delete cascade,
  address    text check (length(address) <= 254),
  facts      jsonb not null default '{}',
  state      text not null default 'queued' check (state in ('queued', 'sent', 'dead')),
  tries      integer not null default 0,
  -- What the server for mail answered last, without addresses.
  reason     text check (length(reason) <= 300),
  created_at timestamptz not null default clock_timestamp(),
  -- When it may be tried next; while it is being sent, when somebody else may.
  next_at    timestamptz not null default clock_timestamp(),
  ended_at   timestamptz
);
create index mails_next on mails (next_at) where state = 'queued';
create index mails_created on mails (created_at, id);
create index mails_user on mails (user_id, kind, created_at);

-- With which somebody sets a password, once. The id is that of the mail that carries it; the hash is of 256 bits.
create table password_codes (
  id         uuid primary key,
  user_id    bigint not null references users (id) on delete cascade,
  kind       text not null check (kind in ('reset', 'invitation')),
  hash       bytea not null,
  tries      smallint not null default 0,
  expires_at timestamptz not null
);
create index password_codes_user on password_codes (user_id);
create index password_codes_expiry on password_codes (expires_at);

-- How many mails were asked for in a day: for an address, from a network, in all. Keys, because no address is kept.
create table mail_counts (
  key bytea not null,
  day date not null default current_date,
  n   integer not null default 1,
  primary key (key, day)
) with (fillfactor = 80);

create function count_mail(counted bytea, most integer) returns boolean language plpgsql as $$
begin
  insert into mail_counts as row (key) values (counted)
  on conflict (key, day) do update set n = row.n + 1 where row.n < most;
  return found;
end
$$;

-- A notice to somebody who has an address: ten of a kind a day, so that nobody who can cause them fills a mailbox.
create function tell_by_mail(told bigint, told_kind text, told_facts jsonb) returns void language sql as $$
  insert into mails (kind, user_id, address, facts)
  select told_kind, id, mail, told_facts from users
  where id = told and mail is not null and deleted_at is null and 10 > (
    select count(*) from mails
    where user_id = told and kind = told_kind and created_at > clock_timestamp() - interval '1 day'
  )
$$;

-- What a code stands on: the password, the address, and that its owner is enabled. Also where an instance of the version
-- before changes one of them. A login that stores a stronger hash leaves the epoch alone, and changes no password.
create function end_password_codes() returns trigger language plpgsql security definer as $$
begin
  delete from password_codes where user_id = new.id;
  return null;
end
$$;

create trigger users_password_codes after update of password_hash, enabled, deleted_at, mail on users
  for each row when (
    (old.password_hash is distinct from new.password_hash and old.epoch is distinct from new.epoch)
    or (old.enabled and not new.enabled)
    or (old.deleted_at is null and new.deleted_at is not null)
    or old.mail is distinct from new.mail)
  execute function end_password_codes();

-- Whoever sets the first password has asked for it.
create function tell_password_changed() returns trigger language plpgsql security definer as $$
begin
  perform tell_by_mail(new.id, 'password_changed', '{}');
  return null;
end
$$;

create trigger users_tell_password after update of password_hash on users
  for each row when (old.password_hash is distinct from new.password_hash and old.epoch is distinct from new.epoch
    and old.password_hash like '$%' and new.mail is not null)
  execute function tell_password_changed();

create function tell_factor_removed() returns trigger language plpgsql security definer as $$
begin
  perform tell_by_mail(new.user_id, 'factor_removed', jsonb_build_object('factor', new.kind));
  return null;
end
$$;

create trigger credentials_tell_ended after update of ended_at on credentials
  for each row when (old.ended_at is null and new.ended_at is not null and old.confirmed_at is not null)
  execute function tell_factor_removed();

-- Whoever is deleted has no address any more, and is told nothing.
create function drop_mail() returns trigger language plpgsql security definer as $$
begin
  new.mail := null;
  delete from mails where user_id = new.id;
  return new;
end
$$;

create trigger users_drop_mail before update of deleted_at on users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function drop_mail();

-- Whoever may write users or credentials cannot put other tables in the place of these.
do $$
declare
  name text;
begin
  foreach name in array array['end_password_codes', 'tell_password_changed', 'tell_factor_removed', 'drop_mail'] loop
    execute format('alter function %I() set search_path = %I, pg_temp', name, current_schema());
  end loop;
end
$$;
