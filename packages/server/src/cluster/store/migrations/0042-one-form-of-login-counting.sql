-- One form of `admit_login` and of `settle_login`: both count devices. The forms without a device were for members of a version
-- that was never released.

-- Decides whether a password may be verified now: `admitted`, `busy` (ask again, others are being verified) or `refused`. A known
-- device comes first. When its attempts are used up, it counts as unknown until an hour after the last failure. Rows are locked in
-- the order device, pair, network, account everywhere, so that no two callers wait for each other.
create or replace function admit_login(
  pair_key bytea, network_key bytea, account_key bytea,
  pair_limit int, network_limit int, account_limit int, device_key bytea,
  out verdict text, out wait_seconds float8, out by_device boolean
) language plpgsql as $$
declare
  device      devices;
  pair        throttle;
  network     throttle;
  account     throttle;
  at          timestamptz;
  opens_at    timestamptz;
  is_busy     boolean := false;
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

-- Counts the outcome of an admitted attempt: `success`, `failure`, or `unverified` if no password was verified. A success makes the
-- device known, twenty devices per account, so that a client without cookies does not fill the table.
create or replace function settle_login(
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
    -- The network becomes known, but failures of others from there still count.
    if outcome = 'success' then
      insert into throttle as row (key, kind, succeeded_at) values (pair_key, 'pair', at)
      on conflict (key) do update set succeeded_at = at, touched_on = current_date;
      insert into throttle as row (key, kind, succeeded_at) values (network_key, 'network', at)
      on conflict (key) do update set succeeded_at = at, touched_on = current_date;
    end if;
  else
    if outcome = 'success' then
      insert into devices (key, account, used_at) values (device_key, account_key, at)
      on conflict (key) do update set used_at = at, failures = 0;
      delete from devices where key in (
        select key from devices where account = account_key order by used_at desc offset 20 for update skip locked
      );
    end if;
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
  end if;
  -- When an account is closed, a login from a known network does not open it for the other networks.
  update throttle set
    in_flight = greatest(in_flight - 1, 0),
    failures = case when outcome = 'success' and failures < account_limit then 0 else failures + failed end,
    failed_at = case outcome when 'failure' then at else failed_at end
  where key = account_key;
end
$$;

drop function admit_login(bytea, bytea, bytea, int, int, int);
drop function settle_login(bytea, bytea, bytea, int, text);
