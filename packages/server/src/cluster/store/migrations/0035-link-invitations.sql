-- An invitation to link an account ends with what it was given for: the account is disabled or deleted, or its password
-- changes. Also where an instance of the previous version makes the change. A login that stores a stronger hash leaves the
-- epoch alone, and changes no password.
drop trigger users_link_invitations on users;
create trigger users_link_invitations after update of password_hash, enabled, deleted_at on users
  for each row when (
    (old.password_hash is distinct from new.password_hash and old.epoch is distinct from new.epoch)
    or (old.enabled and not new.enabled)
    or (old.deleted_at is null and new.deleted_at is not null)
  )
  execute function drop_link_invitations();

-- A deleted account has no credentials. The deletion takes the lock of the user's factors, as everything does that stores a
-- credential: a credential that waited is refused, and a deletion that waited deletes the credential.
create or replace function drop_credentials() returns trigger language plpgsql security definer as $$
begin
  perform pg_advisory_xact_lock(1886352749, hashtext(new.id::text));
  delete from credentials where user_id = new.id;
  delete from recovery_codes where user_id = new.id;
  delete from enrolment_codes where user_id = new.id;
  return null;
end
$$;

create function guard_credential_owner() returns trigger language plpgsql security definer as $$
begin
  if exists (select from users where id = new.user_id and deleted_at is not null) then
    raise exception 'A deleted account has no credentials.' using errcode = 'PF003';
  end if;
  return new;
end
$$;

create trigger credentials_guard_owner before insert on credentials
  for each row execute function guard_credential_owner();

-- The functions read only the tables of this schema, for every caller. `create or replace` has dropped the setting of the first one.
do $$
begin
  execute format('alter function drop_credentials() set search_path = %I, pg_temp', current_schema());
  execute format('alter function guard_credential_owner() set search_path = %I, pg_temp', current_schema());
end
$$;
