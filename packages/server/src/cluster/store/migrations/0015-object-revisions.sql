-- How often a user, a role or a department was changed, so that a form can say on what it was filled in. The database
-- counts, and so changes by instances of the version before count too.
alter table users add column revision bigint not null default 1;
alter table roles add column revision bigint not null default 1;
alter table departments add column revision bigint not null default 1;

create function count_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end
$$;

-- What people edit of a user; a login that stores a stronger hash, or the end of sessions, changes no form.
create trigger users_revision before update of nick_name, department_id, role_id, enabled on users
  for each row when ((old.nick_name, old.department_id, old.role_id, old.enabled)
    is distinct from (new.nick_name, new.department_id, new.role_id, new.enabled))
  execute function count_revision();

-- Also where no column gets another value: whoever replaces the departments of a scope writes the scope with them.
create trigger roles_revision before update of name, data_scope, enabled on roles
  for each row execute function count_revision();

create trigger departments_revision before update of name, parent_id on departments
  for each row execute function count_revision();
