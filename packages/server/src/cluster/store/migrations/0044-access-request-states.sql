-- An access request is approved or denied; the states were called given and refused.
alter table access_requests drop constraint access_requests_state_check;
update access_requests set state = case state when 'given' then 'approved' else 'denied' end where state in ('given', 'refused');
alter table access_requests add constraint access_requests_state_check
  check (state in ('open', 'approved', 'denied', 'withdrawn'));
