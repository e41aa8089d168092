-- What go-admin's own front end shows: a copy of go-admin's menus, which role sees which, and what the front end is called.
-- Nothing here decides about a request.
create table go_admin_menus (
  id bigint primary key check (id > 0),
  parent_id bigint not null,
  -- A directory, a page or a button.
  kind text not null check (kind in ('M', 'C', 'F')),
  name text not null,
  title text not null,
  icon text not null,
  path text not null,
  component text not null,
  permission text not null,
  visible text not null,
  no_cache boolean not null,
  sort bigint not null
);

create table go_admin_role_menus (
  role_id bigint not null references roles on delete cascade,
  menu_id bigint not null references go_admin_menus on delete cascade,
  primary key (role_id, menu_id)
);
create index go_admin_role_menus_menu on go_admin_role_menus (menu_id);

create table go_admin_config (
  name text primary key check (name in ('sys_app_name', 'sys_app_logo')),
  value text not null
);
