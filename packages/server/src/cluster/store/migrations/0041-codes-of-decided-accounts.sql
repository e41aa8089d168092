-- The code of a link for a forgotten password ends when a provider begins to decide about the account: used after the provider is
-- gone, it would be a way in that no administrator gave. An invitation stays: its account has no password yet.
create trigger users_decided_codes after update of decided_by_provider on users
  for each row when (new.decided_by_provider and not old.decided_by_provider and new.password_hash like '$%')
  execute function end_password_codes();

-- And those that were sent before.
delete from password_codes using users
where users.id = user_id and users.decided_by_provider and users.password_hash like '$%' and password_codes.kind = 'reset';
