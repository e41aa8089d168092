-- Set by an instance whose own revision is not in the history that it finds here: changes were lost with a failover or a
-- restored backup. Cleared by `portcullis recover` alone.
alter table current_revision add column history_lost_at timestamptz;

-- What was settled stays settled: the name of the incarnation is all that changes.
update current_revision set settled_in = substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/'
  || pg_relation_filepath('current_revision') || '@' || extract(epoch from pg_postmaster_start_time())
where settled_in = database_incarnation();

-- Differs also where another database, or a restored table, has taken the place of this one in a server that runs on:
-- the file holds the database's oid and the table's own number. Up to the @ it stays the same over a restart, which loses
-- nothing. No subquery: a function with one is not planned with the statement that calls it.
create or replace function database_incarnation() returns text language sql volatile as $$
  select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || '/' || pg_relation_filepath('current_revision')
    || '@' || extract(epoch from pg_postmaster_start_time())
$$;

-- While it is set no report gives a lease: to no instance, to no guard, and to none of the version before.
create function refuse_lost_history() returns trigger language plpgsql as $$
begin
  if exists (select from current_revision where history_lost_at is not null) then
    raise exception using errcode = 'PCH01',
      message = 'Changes of access were lost with a failover or a restored backup. Run `portcullis recover`.';
  end if;
  return new;
end
$$;
create trigger refuse_lost_history before insert or update on instances
  for each row execute function refuse_lost_history();
