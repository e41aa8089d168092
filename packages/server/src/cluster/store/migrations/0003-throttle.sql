-- What is remembered of guesses: a row an account and network, a row a network, a row an account. The key is an HMAC,
-- because people type passwords into the field of the name, and because the login log may be off.
create table throttle (
  key          bytea primary key,
  kind         text not null check (kind in ('pair', 'network', 'account')),
  failures     int not null default 0,
  -- Attempts whose password is being verified, and when they count as failed because nobody told how they ended.
  in_flight    int not null default 0,
  lapses_at    timestamptz,
  -- The last failure; for a network the first one of its minute.
  failed_at    timestamptz,
  succeeded_at timestamptz,
  touched_on   date not null default current_date
) with (fillfactor = 80);
create index throttle_touched on throttle (touched_on);
create index throttle_known_networks on throttle (succeeded_at) where kind = 'network';

-- The row as it stands now, locked until the end of the transaction.
create function throttle_row(wanted bytea, of_kind text, forgotten_after interval) returns throttle
language plpgsql as $$
declare
  found throttle;
  at    timestamptz;
begin
  insert into throttle (key, kind) values (wanted, of_kind)
  on conflict (key) do update set touched_on = current_date where throttle.touched_on <> current_date;
  select * into strict found from throttle where key = wanted for update;
  at := clock_timestamp();
  if found.in_flight > 0 and found.lapses_at <= at then
    found.failures := found.failures + found.in_flight;
    found.in_flight := 0;
    found.failed_at := at;
  end if;
  if found.failed_at <= at - forgotten_after then
    found.failures := 0;
  end if;
  return found;
end
$$;

-- Whether a password may be verified now: `admitted`, `busy` (ask again, others are being verified) or `refused`. Rows
-- are locked in the order pair, network, account everywhere, so that no two callers wait for each other.
create function admit_login(
  pair_key bytea, network_key bytea, account_key bytea,
  pair_limit int, network_limit int, account_limit int,
  out verdict text, out wait_seconds float8
) language plpgsql as $$
declare
  pair        throttle;
  network     throttle;
  account     throttle;
  at          timestamptz;
  opens_at    timestamptz;
  is_busy     boolean := false;
begin
  perform set_config('synchronous_commit', 'off', true);
  pair    := throttle_row(pair_key, 'pair', interval '1 hour');
  network := throttle_row(network_key, 'network', interval '1 minute');
  account := throttle_row(account_key, 'account', interval '1 day');
  at := clock_timestamp();

  if pair.failures + pair.in_flight >= pair_limit then
    if pair.in_flight > 0 then
      is_busy := true;
    else
      opens_at := greatest(opens_at, pair.failed_at + make_interval(secs => least(5 * 2 ^ (pair.failures - pair_limit), 900)));
    end if;
  end if;
  if network.failures + network.in_flight >= network_limit then
    if network.in_flight > 0 then
      is_busy := true;
    else
      opens_at := greatest(opens_at, network.failed_at + interval '1 minute');
    end if;
  end if;
  if pair.succeeded_at is null and account.failures + account.in_flight >= account_limit then
    if account.failures < account_limit then
      is_busy := true;
    else
      opens_at := greatest(opens_at, account.failed_at + interval '1 day');
    end if;
  end if;

  wait_seconds := greatest(0, coalesce(extract(epoch from opens_at - at), 0));
  if opens_at > at then
    verdict := 'refused';
  elsif is_busy then
    verdict := 'busy';
  else
    verdict := 'admitted';
    update throttle set failures = pair.failures, failed_at = pair.failed_at,
      in_flight = pair.in_flight + 1, lapses_at = at + interval '30 seconds' where key = pair_key;
    update throttle set failures = network.failures, failed_at = network.failed_at,
      in_flight = network.in_flight + 1, lapses_at = at + interval '30 seconds' where key = network_key;
    update throttle set failures = account.failures, failed_at = account.failed_at,
      in_flight = account.in_flight + 1, lapses_at = at + interval '30 seconds' where key = account_key;
  end if;
end
$$;

-- How an admitted attempt ended: `success`, `failure`, or `unverified` where no password was looked at.
create function settle_login(
  pair_key bytea, network_key bytea, account_key bytea, account_limit int, outcome text
) returns void language plpgsql as $$
declare
  failed int := (outcome = 'failure')::int;
  at     timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'off', true);
  update throttle set
    in_flight = greatest(in_flight - 1, 0),
    failures = case outcome when 'success' then 0 else failures + failed end,
    failed_at = case outcome when 'failure' then at else failed_at end,
    succeeded_at = case outcome when 'success' then at else succeeded_at end
  where key = pair_key;
  update throttle set
    in_flight = greatest(in_flight - 1, 0),
    failures = failures + failed,
    failed_at = case when outcome = 'failure' and failures = 0 then at else failed_at end,
    succeeded_at = case outcome when 'success' then at else succeeded_at end
  where key = network_key;
  -- Once it is closed, a login from a network that it knows does not open an account to the others again.
  update throttle set
    in_flight = greatest(in_flight - 1, 0),
    failures = case when outcome = 'success' and failures < account_limit then 0 else failures + failed end,
    failed_at = case outcome when 'failure' then at else failed_at end
  where key = account_key;
end
$$;

-- Hashes that were imported and not yet replaced: how slow the slowest of them is decides how long a refusal takes.
create index users_imported_hash on users (substr(password_hash, 5, 2))
  where password_hash ~ '^\$2[aby]\$(0[4-9]|1[0-4])\$';
