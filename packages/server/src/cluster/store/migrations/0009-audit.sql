-- Every administrative change: who made it, of what, and how that was before and after. The service only adds to it, in
-- the transaction of the change itself. No reference to users: a record outlives whom it names.
create table audit_log (
  id         uuid primary key,
  at         timestamptz not null,
  actor_id   bigint not null,
  actor_name text not null check (length(actor_name) between 1 and 64),
  actor_role text not null check (length(actor_role) between 1 and 32),
  action     text collate "C" not null check (action ~ '^[a-z][a-z_-]*(\.[a-z][a-z_-]*)+$' and length(action) <= 64),
  target     text not null check (length(target) between 1 and 128),
  before     jsonb,
  after      jsonb,
  request_id text not null,
  ip         inet not null
);

-- An id begins with its time, so the primary key is the order of the list.
create index audit_log_actor on audit_log (actor_id, id);
create index audit_log_target on audit_log (target, id);
create index audit_log_action on audit_log (action, id);

-- How often an entry of the exclusion list let a request pass. Counted in memory and added each minute.
create table exclusion_uses (
  entry text not null check (length(entry) <= 300),
  day   date not null,
  n     bigint not null,
  primary key (entry, day)
);
