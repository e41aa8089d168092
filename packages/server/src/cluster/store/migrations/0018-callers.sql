-- Who has a role and is enabled is counted in the index itself, for people by the ten thousand.
drop index users_role_department;
create index users_role_department on users (role_id, department_id, id) include (enabled) where deleted_at is null;
