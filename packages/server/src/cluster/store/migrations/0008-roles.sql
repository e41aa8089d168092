-- Every change of a role's rules, with the revision that holds it. The service only adds to it. No reference to roles
-- or users: a record outlives whom it names.
create table rule_history (
  role_id        bigint not null,
  revision       bigint not null check (revision between 0 and 9007199254740991),
  at             timestamptz not null default now(),
  user_id        bigint not null,
  username       text not null,
  added          jsonb not null,
  removed        jsonb not null,
  rolled_back_to bigint,
  primary key (role_id, revision)
);

create function current_revision_number() returns bigint language sql stable as $$
  select n from current_revision
$$;

-- Since when the history of the role's rules is whole: of a new role always, of one from before this migration from here.
alter table roles add column recorded_from bigint not null default current_revision_number();

-- A deleted user keeps its row, and must not keep its role and department from being deleted.
alter table users
  alter column role_id drop not null,
  alter column department_id drop not null,
  add constraint users_have_role_and_department
    check (deleted_at is not null or (role_id is not null and department_id is not null));

-- The order of the list of departments, whole and below one of them.
create index departments_name on departments (name, id);
create index departments_below on departments (parent_id, name, id);
drop index departments_parent;
