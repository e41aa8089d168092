-- Where a record stands: the chain that it belongs to, its number there, and what binds it to the record before it.
-- Records from before this migration have none.
alter table login_log
  add column chain uuid,
  add column seq bigint check (seq between 1 and 9007199254740991),
  add column hash bytea;

-- One for each way to look for records, newest first: a page is read from the end of its index, however long the log is.
-- Users share 1024 places where new entries go: with one place for each, every record would change pages of its own, and
-- the database would write them all out again after every checkpoint. A record has no entry for what it lacks (without a
-- database of countries, none has one): nobody looks for it there.
create index login_log_username on login_log ((hashtextextended(username, 0) & 1023), id, username) where username is not null;
create index login_log_user on login_log ((user_id & 1023), id, user_id) where user_id is not null;
create index login_log_ip on login_log (ip, id) where ip is not null;
create index login_log_reason on login_log (reason, id);
create index login_log_browser on login_log (browser, id) where browser is not null;
create index login_log_os on login_log (os, id) where os is not null;
create index login_log_location on login_log (location, id) where location is not null;

-- Counted with the records that it counts, in one statement. By shard, so that instances do not wait for each other.
create table login_log_counts (
  hour   timestamptz not null,
  reason text not null,
  shard  smallint not null,
  n      bigint not null,
  primary key (hour, reason, shard)
) with (fillfactor = 50);

-- A record that the table refuses, as it was spooled: it must not hold up those behind it.
create table login_log_dead_letters (
  id    uuid primary key,
  chain uuid not null,
  seq   bigint not null,
  hash  bytea not null,
  raw   bytea not null,
  cause text not null
);

-- How far a chain reaches, signed. A checkpoint stands for the records up to it, which were dropped with their month.
create table login_log_heads (
  chain      uuid not null,
  seq        bigint not null,
  hash       bytea not null,
  checkpoint boolean not null default false,
  at         timestamptz not null default now(),
  signature  bytea not null,
  primary key (chain, seq, checkpoint)
);

-- Which spools belong to this database: several services may keep theirs in one folder.
create table deployment (
  id  uuid not null default gen_random_uuid(),
  one boolean primary key default true check (one)
);
insert into deployment default values;
