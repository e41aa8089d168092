-- How many guards of each service an instance answers for: they have no rows of their own any more.
alter table instances add column guards jsonb not null default '{}';
