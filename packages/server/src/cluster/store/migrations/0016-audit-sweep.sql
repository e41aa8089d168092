-- Old months of the audit log may go. Their places in the chain stay, so that heads from before can still be held against
-- them. What was swept is told from what somebody removed by this checkpoint, which is signed with a key that the database
-- does not hold, over the hashes of all places up to it.
create table audit_log_checkpoint (
  seq          bigint not null,
  -- The first moment that is kept.
  swept_before timestamptz not null,
  digest       bytea not null,
  signature    bytea not null,
  one          boolean primary key default true check (one)
);

-- When the database bound a record: one of a host whose clock is behind is younger than it says. Nobody knows it of those
-- from before, so the default comes second.
alter table audit_log_chain add column at timestamptz;
alter table audit_log_chain alter column at set default now();
