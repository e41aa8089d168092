-- The devices on which an account has logged in. The key is an HMAC of device and account, and so is the account's: a
-- device has guesses of its own for the accounts that it knows, whatever others guess from the same network.
create table devices (
  key       bytea primary key,
  account   bytea not null,
  failures  int not null default 0,
  -- Attempts whose password is being verified, and when they count as failed because nobody told how they ended.
  in_flight int not null default 0,
  lapses_at timestamptz,
  failed_at timestamptz,
  used_at   timestamptz not null default now()
) with (fillfactor = 80);
create index devices_account on devices (account, used_at);
create index devices_used on devices (used_at);

-- As before, but that a known device comes first. Once its guesses are used up, for an hour after the last one, it is as
-- unknown as any. Members of the version before go on with the six arguments. Rows are locked in the order device, pair,
-- network, account everywhere.
create function admit_login(
  pair_key bytea, network_key bytea, account_key bytea,
  pair_limit int, network_limit int, account_limit int, device_key bytea,
  out verdict text, out wait_seconds float8, out by_device boolean
) language plpgsql as $$
declare
  device  devices;
  account throttle;
  at      timestamptz;
begin
  perform set_config('synchronous_commit', 'off', true);
  by_device := false;
  select * into device from devices where key = device_key for update;
  if found then
    at := clock_timestamp();
    if device.in_flight > 0 and device.lapses_at <= at then
      device.failures := device.failures + device.in_flight;
      device.in_flight := 0;
      device.failed_at := at;
    end if;
    if device.failed_at <= at - interval '1 hour' then
      device.failures := 0;
    end if;
    if device.failures < pair_limit then
      by_device := true;
      wait_seconds := 0;
      if device.failures + device.in_flight >= pair_limit then
        verdict := 'busy';
        return;
      end if;
      account := throttle_row(account_key, 'account', interval '1 day');
      verdict := 'admitted';
      update devices set failures = device.failures, failed_at = device.failed_at,
        in_flight = device.in_flight + 1, lapses_at = at + interval '30 seconds' where key = device_key;
      update throttle set failures = account.failures, failed_at = account.failed_at,
        in_flight = account.in_flight + 1, lapses_at = at + interval '30 seconds' where key = account_key;
      return;
    end if;
  end if;
  select admitted.verdict, admitted.wait_seconds into verdict, wait_seconds
  from admit_login(pair_key, network_key, account_key, pair_limit, network_limit, account_limit) as admitted;
end
$$;

-- How an attempt ended that the function above admitted. A success makes the device known, and what was known by it
-- before stays: of one account twenty, so that a client that keeps no cookies does not fill the table.
create function settle_login(
  pair_key bytea, network_key bytea, account_key bytea, account_limit int, outcome text,
  device_key bytea, by_device boolean
) returns void language plpgsql as $$
declare
  failed int := (outcome = 'failure')::int;
  at     timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'off', true);
  if by_device then
    update devices set
      in_flight = greatest(in_flight - 1, 0),
      failures = case outcome when 'success' then 0 else failures + failed end,
      failed_at = case outcome when 'failure' then at else failed_at end,
      used_at = case outcome when 'success' then at else used_at end
    where key = device_key;
    -- The network is known by it, but what others guessed from there is not forgotten.
    if outcome = 'success' then
      insert into throttle as row (key, kind, succeeded_at) values (pair_key, 'pair', at)
      on conflict (key) do update set succeeded_at = at, touched_on = current_date;
      insert into throttle as row (key, kind, succeeded_at) values (network_key, 'network', at)
      on conflict (key) do update set succeeded_at = at, touched_on = current_date;
    end if;
    update throttle set
      in_flight = greatest(in_flight - 1, 0),
      failures = case when outcome = 'success' and failures < account_limit then 0 else failures + failed end,
      failed_at = case outcome when 'failure' then at else failed_at end
    where key = account_key;
    return;
  end if;
  if outcome = 'success' then
    insert into devices (key, account, used_at) values (device_key, account_key, at)
    on conflict (key) do update set used_at = at, failures = 0;
    delete from devices where key in (
      select key from devices where account = account_key order by used_at desc offset 20 for update skip locked
    );
  end if;
  perform settle_login(pair_key, network_key, account_key, account_limit, outcome);
end
$$;
