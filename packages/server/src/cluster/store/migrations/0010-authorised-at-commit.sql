-- What changed of people's places without changing access in memory: a user who moved to another department, a
-- department that moved. Whoever writes asks whether the own place is among it. Instances of the version before write none.
alter table revisions add column moves jsonb not null default '[]';
