-- A guard in a business service is a member like an instance; it bears that service's name.
alter table instances add column service text check (length(service) between 1 and 64);
