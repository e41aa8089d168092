-- The departments of a role's holders, one after the other, without reading the holders: who changes a role must see them.
create index users_role_department on users (role_id, department_id, id) where deleted_at is null;
