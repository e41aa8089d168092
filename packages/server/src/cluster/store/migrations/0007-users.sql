-- A password that somebody else gave: until it is changed, its owner may do nothing else.
alter table users add column password_due boolean not null default false;

-- The list of users goes by name, in the order of bytes: one index serves the order, the page and the search by prefix.
-- Those of role and department replace the ones without the name.
create index users_name on users (canonical_username collate "C") where deleted_at is null;
create index users_role_name on users (role_id, canonical_username collate "C");
create index users_department_name on users (department_id, canonical_username collate "C");
drop index users_role;
drop index users_department;
