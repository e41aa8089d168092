-- The words by which people are found, a row each: the username, and every word of the display name. The database keeps
-- them, and so it does for the users that older instances write.
create table user_words (
  user_id       bigint not null,
  word          text collate "C" not null,
  department_id bigint not null,
  primary key (user_id, word)
);
create index user_words_word on user_words (word, user_id);
-- Who sees few departments walks along their words, not along everybody's.
create index user_words_department on user_words (department_id, word, user_id);

-- What is typed and what is found, in the same letters. With ICU the case of every script is known, whatever the locale
-- of the database.
do $$
begin
  execute format(
    'create function search_text(text) returns text language sql immutable strict
     return left(lower(normalize($1, nfkc) %s), 64)',
    (select 'collate "und-x-icu"' from pg_collation where collname = 'und-x-icu' limit 1)
  );
end
$$;

-- Smith-Jones is found as such, and by Jones.
create function words_of_user(canonical_username text, nick_name text) returns setof text language sql immutable
begin atomic
  select search_text(canonical_username)
  union
  select search_text(word) from unnest(
    string_to_array(normalize(nick_name, nfkc), ' ')
      || string_to_array(translate(normalize(nick_name, nfkc), '-''’·.,()/&_', repeat(' ', 11)), ' ')
  ) as word
  where word <> '';
end;

create function keep_user_words() returns trigger language plpgsql security definer as $$
begin
  if tg_op <> 'INSERT' then
    delete from user_words where user_id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.deleted_at is null then
    insert into user_words (user_id, word, department_id)
    select new.id, word, new.department_id from words_of_user(new.canonical_username, new.nick_name) as word
    on conflict (user_id, word) do update set department_id = excluded.department_id;
  end if;
  return null;
end
$$;

create trigger users_words after insert or delete on users
  for each row execute function keep_user_words();
create trigger users_words_update after update of canonical_username, nick_name, department_id, deleted_at on users
  for each row when ((old.canonical_username, old.nick_name, old.department_id, old.deleted_at)
    is distinct from (new.canonical_username, new.nick_name, new.department_id, new.deleted_at))
  execute function keep_user_words();

-- Those who are there already follow in batches once this has committed, so that nobody waits for millions of them. How
-- far that is; no row when it is done.
create table user_words_fill (
  from_id bigint not null,
  one     boolean primary key default true check (one)
);
insert into user_words_fill (from_id) values (0);

-- One batch; false when there is none left. A user who is being changed is waited for, so that no former word comes back.
create function fill_user_words(batch int) returns boolean language plpgsql as $$
declare
  at_id   bigint;
  last_id bigint;
begin
  select from_id into at_id from user_words_fill for update;
  if not found then
    return false;
  end if;
  select max(id) into last_id from (select id from users where id > at_id order by id limit batch) as next;
  if last_id is null then
    delete from user_words_fill;
    return false;
  end if;
  insert into user_words (user_id, word, department_id)
  select id, word, department_id
  from (
    select id, canonical_username, nick_name, department_id from users
    where id > at_id and id <= last_id and deleted_at is null for share
  ) as named, words_of_user(canonical_username, nick_name) as word
  on conflict do nothing;
  update user_words_fill set from_id = last_id;
  return true;
end
$$;

-- Whoever may write users cannot put another table in the place of this one.
do $$
begin
  execute format('alter function keep_user_words() set search_path = %I, pg_temp', current_schema());
end
$$;
