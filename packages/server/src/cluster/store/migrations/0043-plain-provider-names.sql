-- Plain names for the settings of providers: the column `admission` becomes `provisioning`, and `role_source` and the stored
-- settings of directories and of OAuth 2 providers get the names of the API. No session ends and no revision grows, because no
-- setting gets another value.
alter table providers rename column admission to provisioning;
alter table providers rename constraint providers_admission_check to providers_provisioning_check;
alter table providers drop constraint providers_role_source_check;

alter table providers disable trigger user;
update providers set
  role_source = case role_source when 'here' then 'local' when 'first' then 'first_login' else 'every_login' end,
  settings = coalesce((
    select jsonb_object_agg(coalesce(renamed.name, given.key), given.value)
    from jsonb_each(settings) as given left join (values
      ('readerDn', 'bindDn'), ('personClass', 'userObjectClass'),
      ('authorizeUrl', 'authorizationUrl'), ('authorizeParameters', 'authorizationParameters'),
      ('subjectPlace', 'subjectPath'), ('namePlace', 'namePath'), ('groupsPlace', 'groupsPath'),
      ('tenantPlace', 'tenantPath'), ('statusPlace', 'statusPath')
    ) as renamed (former, name) on renamed.former = given.key
  ), '{}');
alter table providers enable trigger user;

alter table providers alter column role_source set default 'local',
  add constraint providers_role_source_check check (role_source in ('local', 'first_login', 'every_login'));
