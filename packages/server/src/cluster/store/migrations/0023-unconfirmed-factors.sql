-- What nobody confirmed is swept every minute, and is few of millions.
create index credentials_unconfirmed on credentials (created_at) where confirmed_at is null;
