-- Who decides about an account: this service by its own password, or a provider. This column is the only definition, and the
-- database alone keeps it. It is true
--   from a link to a directory on, because a directory verifies the password in the place of this service;
--   from a link to any provider on, where the account has no password here;
--   until a password is set here while no directory is linked.
-- It stays true while the provider is disabled, and after the link or the provider is gone.
alter table users add column decided_by_provider boolean not null default false;

update users set decided_by_provider = true
where kind = 'person' and deleted_at is null and exists (
  select from credentials join providers on providers.id = credentials.provider_id
  where user_id = users.id and credentials.kind = 'link'
    and (password_hash not like '$%' or (providers.kind = 'ldap' and ended_at is null))
);

create function note_deciding_link() returns trigger language plpgsql security definer as $$
begin
  update users set decided_by_provider = true
  where id = new.user_id and kind = 'person' and not decided_by_provider and (
    password_hash not like '$%' or exists (select from providers where id = new.provider_id and kind = 'ldap'));
  return null;
end
$$;

create trigger credentials_deciding_link after insert on credentials
  for each row when (new.kind = 'link') execute function note_deciding_link();

-- A login that stores a stronger hash leaves the epoch alone, and sets no password.
create function note_deciding_password() returns trigger language plpgsql security definer as $$
begin
  new.decided_by_provider := exists (
    select from credentials join providers on providers.id = credentials.provider_id
    where user_id = new.id and credentials.kind = 'link' and ended_at is null and providers.kind = 'ldap');
  return new;
end
$$;

create trigger users_deciding_password before update of password_hash on users
  for each row when (old.decided_by_provider and new.password_hash like '$%'
    and old.password_hash is distinct from new.password_hash and old.epoch is distinct from new.epoch)
  execute function note_deciding_password();

-- Of an account that a provider decides about, a session is stored only by way of a provider: of one that is linked to a
-- directory, only by way of a directory. The user's lock, under which a link is made, was taken by the trigger before.
create function guard_decided_session() returns trigger language plpgsql security definer as $$
begin
  -- A login that another verifier proved needs no row of `users`, and does not wait for one.
  if not exists (select from credentials where user_id = new.user_id) then
    return new;
  end if;
  if exists (select from users where id = new.user_id and decided_by_provider) and not exists (
    select from providers where id = new.provider_id and (kind = 'ldap' or not exists (
      select from credentials join providers as directories on directories.id = credentials.provider_id
      where user_id = new.user_id and credentials.kind = 'link' and ended_at is null and directories.kind = 'ldap'))
  ) then
    raise exception 'A provider decides about this account.' using errcode = 'PF002';
  end if;
  return new;
end
$$;

create trigger sessions_provider_decides before insert on sessions
  for each row execute function guard_decided_session();

-- A database role that can write these tables cannot replace them by tables of another schema.
do $$
declare
  name text;
begin
  foreach name in array array['note_deciding_link', 'note_deciding_password', 'guard_decided_session'] loop
    execute format('alter function %I() set search_path = %I, pg_temp', name, current_schema());
  end loop;
end
$$;
