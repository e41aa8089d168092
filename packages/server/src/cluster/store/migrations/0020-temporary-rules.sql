-- Rules with an end. Beside `rules`, and not among them: an instance of the version before reads all of those, and would
-- keep one for ever. Nor does it remove these with their role, which is therefore refused to it.
create table temporary_rules (
  role_id bigint not null references roles (id),
  path text not null,
  method text not null,
  ends_at timestamptz not null,
  given_by text not null,
  primary key (role_id, path, method)
);

create index temporary_rules_ends_at on temporary_rules (ends_at);
