-- The routes of business services, from their OpenAPI documents. They decide nothing: rules are written against them.
create table catalog (
  service text not null check (service ~ '^[a-z][a-z0-9_-]{0,31}$'),
  path    text not null check (path like '/%' and length(path) <= 256),
  method  text not null check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  title   text not null check (length(title) <= 200),
  tag     text check (length(tag) between 1 and 64),
  primary key (service, path, method)
);
