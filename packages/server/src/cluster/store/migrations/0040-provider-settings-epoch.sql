-- The epoch of a provider since which its settings are as they are: sessions that rest on an earlier one end. Settings and epoch
-- change in one transaction, the epoch by one. Also where an instance of the previous version makes the change.
alter table providers add column settings_epoch bigint not null default 0;

create function note_provider_settings() returns trigger language plpgsql as $$
begin
  new.settings_epoch := old.epoch + 1;
  return new;
end
$$;

create trigger providers_settings_epoch before update of settings on providers
  for each row when (old.settings is distinct from new.settings)
  execute function note_provider_settings();
