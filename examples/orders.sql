-- The orders of all three examples, for Postgres and SQLite. The last two columns say whose an order is: the data scope
-- of a caller is a condition on them.
create table if not exists orders (
  id            text primary key,
  customer      text not null,
  amount        integer not null check (amount > 0),
  status        text not null default 'open' check (status in ('open', 'cancelled')),
  created_by    bigint not null,
  department_id bigint not null
);
create index if not exists orders_created_by on orders (created_by);
create index if not exists orders_department on orders (department_id);
