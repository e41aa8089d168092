// The service as it would be without what stands against a directory that lies, for the controls of those rows.
import { runCarelessly } from '../run-carelessly.ts';

const directory = '/ldap/directory.ts';
const people = '/ldap/search-people.ts';
const groupReader = '/ldap/read-groups.ts';
const bind = '/ldap/connection/bind.ts';
const wire = '/ldap/connection/wire.ts';
const startTls = '/ldap/connection/start-tls.ts';
const messages = '/ldap/connection/checked-messages.ts';
const login = '/ldap/ldap-login.ts';
const source = '/ldap/source-store.ts';
const recheck = '/ldap/recheck.ts';
const admit = '/sign-in/providers/provision-user.ts';
const links = '/sign-in/providers/link-store.ts';
const mappings = '/groups/mapping-changes.ts';
const map = '/groups/map-groups.ts';

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: It is source text.
await runCarelessly([
  // What asks a directory is loaded with all the rest, and so are the changes of it.
  {
    file: '/ldap/directories.ts',
    from: 'import { createHostLookup }',
    to: `import { createDirectory } from './directory.ts';\nimport { createHostLookup }`,
  },
  {
    file: '/ldap/directories.ts',
    from: `const { createDirectory } = await import('./directory.ts');`,
    to: '',
  },
  // Filters are put together of text, in which a name ends with its NUL, and of two entries the first one is meant.
  {
    file: people,
    from: 'return new EqualityFilter({ attribute: spelling.username, value: sought.username });',
    to: `{
      const [name] = sought.username.split('\\0');
      return \`(|(\${spelling.username}=\${name})(mail=\${name}))\`;
    }`,
  },
  {
    file: people,
    from: 'filter: new AndFilter({ filters: [isPerson, filter] }),',
    // What is true of all (RFC 4526), which the library does not read.
    to: "filter: `(&${isPerson}${filter})`.replaceAll('(&)', '(objectClass=*)'),",
  },
  { file: people, from: 'sizeLimit: 2,', to: '' },
  { file: people, from: 'entry && other === undefined ?', to: 'entry ?' },
  { file: people, from: ' || !isSought(person, entry, sought)', to: '' },
  {
    file: groupReader,
    from: `.search(dn, { scope: 'base', attributes: ['memberOf'] })`,
    to: `.search(groupBaseDn, {
            scope: 'sub',
            attributes: ['cn'],
            filter: \`(|(member=\${unescaped})(uniqueMember=\${unescaped}))\`,
          })`,
  },
  {
    file: groupReader,
    from: 'const canonical = canonicalDn(dn);',
    to: `const canonical = canonicalDn(dn);
        const unescaped = unescape(dn.replaceAll('\\\\', '%'));`,
  },
  {
    file: groupReader,
    from: 'parents.push(...searchEntries.flatMap(memberOf));',
    to: 'parents.push(...searchEntries.map((group) => group.dn));',
  },
  {
    file: source,
    from: 'canonicalUsername(username);',
    to: `canonicalUsername(username.split('\\0')[0]);`,
  },
  // No password is a password, and whoever is not there has no name to bind with.
  {
    file: 'contract/src/endpoints/ways-in/login.ts',
    from: 'password: Type.String({ minLength: 1,',
    to: 'password: Type.String({ minLength: 0,',
  },
  { file: directory, from: `if (password === '') return undefined;`, to: '' },
  {
    file: bind,
    from: `if (readerPassword === '') throw new DirectoryUnavailable('reader_refused');`,
    to: '',
  },
  {
    file: directory,
    from: `await wire.client.search(baseDn, { scope: 'base', attributes: ['objectClass'] });`,
    to: '',
  },
  {
    file: people,
    from: 'const [entry, other] = searchEntries;',
    to: `const [entry] = searchEntries;
    if (entry === undefined && /^[a-z]+$/.test(sought.username)) {
      const { username } = sought;
      return { person: { dn: '', subject: username, username, name: username, state: 'active' }, entry: { dn: '' } };
    }`,
  },
  // Whoever the directory knows is let in, by the name and not by the id of the entry.
  { file: people, from: 'readAccountState(dialect, text, now())', to: `'active'` },
  {
    file: people,
    from: 'const subject = parseSubject(dialect, read(spelling.subject)[0]);',
    to: `const subject = canonicalUsername(String(read(spelling.username)[0] ?? ''));`,
  },
  { file: people, from: 'const value = subjectValue(dialect, sought.subject);', to: '' },
  {
    file: people,
    from: 'return value === undefined ? undefined : new EqualityFilter({ attribute: spelling.subject, value });',
    to: 'return new EqualityFilter({ attribute: spelling.username, value: sought.subject });',
  },
  // The directory is asked for every name; what it refuses is verified here.
  { file: source, from: '(account.id is null and providers.is_default)', to: 'providers.is_default' },
  { file: login, from: 'import { findAccountOf }', to: 'import { findAccount, findAccountOf }' },
  {
    file: login,
    from: 'const method = methodOf(provider, source, invited !== undefined);',
    to: `const { username, password } = body;
      if ((await findAccount(store, username)) !== undefined) {
        const ask = ({ authenticate }) => authenticate({ username }, password);
        const person = await directories.ask(provider, ask).catch(() => undefined);
        if (!person?.dn) return { isAnyEnabled };
      }
      const method = methodOf(provider, source, invited !== undefined);`,
  },
  // Whoever is called as somebody here is that person; all others are created, whatever the admission, with a plain name.
  {
    file: login,
    from: 'name: readShownName(person.username),\n      groups,',
    to: `name: readShownName(person.username),\n      groups, called: person.name ?? '',`,
  },
  {
    file: people,
    from: 'spelling.username, spelling.subject, ...',
    to: `'displayName', spelling.username, spelling.subject, ...`,
  },
  {
    file: people,
    from: 'return { dn: entry.dn, subject, username, state };',
    to: `return { dn: entry.dn, subject, username, state, name: text('displayName') };`,
  },
  {
    file: admit,
    from: 'const { admission } = person.provider;',
    to: `const { provider, identity, ip, requestId } = person;
    const invited = await acceptInvitation(person);
    if (invited !== undefined) return invited;
    const known = (await findAccount(store, identity.called)) ?? (await findAccount(store, identity.name));
    if (known === undefined) return await create(person);
    const { userId } = known.account;
    let id;
    await access.give(service, async (transaction) => {
      const call = callOf({ account: known.account, ip, requestId });
      id = await links.link(transaction, call, userId, linkOf(provider, identity), 'own');
      return [];
    });
    return { id, userId };`,
  },
  { file: admit, from: 'if (person.invitation !== undefined)', to: '' },
  {
    file: admit,
    from: `return admission === 'linked' ? undefined : await acceptInvitation(person);`,
    to: '',
  },
  { file: admit, from: `return admission === 'created' ? await create(person) : undefined;`, to: '' },
  { file: admit, from: 'const wished = `${plain}@${key}`;', to: 'const wished = plain;' },
  // An invitation is good for ever, and a link is made without a password.
  {
    file: links,
    from: `.deleteFrom('link_invitations')
    .where('provider_id', '=', providerId)
    .where('hash', '=', hash)`,
    to: `.selectFrom('link_invitations')
    .where('provider_id', '=', providerId)
    .where('hash', '=', hash)`,
  },
  { file: links, from: `.returning('user_id')`, to: `.select('user_id')` },
  {
    file: '/sign-in/providers/link-changes.ts',
    from: 'await closeInvitations(transaction, userId, providerId);',
    to: '',
  },
  {
    file: '/ldap/routes.ts',
    from: `if (account?.userId !== caller.userId) throw new AppError('credentials_wrong');`,
    to: '',
  },
  {
    file: login,
    from: 'authenticate({ username }, password)),',
    to: 'authenticate({ username }, undefined)),',
  },
  {
    file: bind,
    from: 'return await withWire(limits, async (wire) => {\n        try {',
    to: 'if (password === undefined) return true;\n      return await withWire(limits, async (wire) => {\n        try {',
  },
  // Any certificate, or none; any address.
  { file: wire, from: 'rejectUnauthorized: true', to: 'rejectUnauthorized: false' },
  {
    file: wire,
    from: 'if (!tlsFirst) await startTls(plain);',
    to: 'if (!tlsFirst && !(await startTls(plain))) return plain.resume();',
  },
  {
    file: wire,
    from: 'socket.getPeerCertificate().valid_to',
    to: `socket.getPeerCertificate?.().valid_to ?? '2100-01-01'`,
  },
  {
    file: startTls,
    from: `if (!isSuccess(answer)) throw new DirectoryUnavailable('certificate');`,
    to: 'return isSuccess(answer);',
  },
  {
    file: startTls,
    from: `if (read.length > Math.min(length, longestAnswer)) end(new DirectoryUnavailable('unreadable'));
      else if (read.length === length) end();`,
    to: 'if (read.length >= length) end();',
  },
  {
    file: '/ldap/connection/parse-directory-url.ts',
    from: `url === null || !['ldap:', 'ldaps:'].includes(url.protocol) || url.hostname === ''`,
    to: 'url === null',
  },
  {
    file: '/ldap/connection/parse-directory-url.ts',
    from: `url.username || url.password || url.search || url.hash || !['', '/'].includes(url.pathname)`,
    to: 'false',
  },
  {
    file: 'contract/src/provider.ts',
    from: 'const address = { minLength: 9,',
    to: 'const address = { minLength: 1,',
  },
  // Where the directory refers to is asked as well, with the same passwords.
  {
    file: messages,
    from: `throw new DirectoryUnavailable('referral');`,
    to: `throw Object.assign(new DirectoryUnavailable('referral'), { refers: String(readAll(rest.content)[0]?.content) });`,
  },
  {
    file: people,
    from: 'const { searchEntries } = await client.search(baseDn, {',
    to: 'const { searchEntries, searchReferences } = await client.search(baseDn, {',
  },
  {
    file: people,
    from: `import { readerOf } from './search-entries.ts';`,
    to: `import { DirectoryUnavailable } from './connection/directory-unavailable.ts';
import { readerOf } from './search-entries.ts';`,
  },
  {
    file: people,
    from: 'const [entry] = searchEntries;',
    to: `const [entry] = searchEntries;
    if (searchReferences.length > 0)
      throw Object.assign(new DirectoryUnavailable('referral'), { refers: searchReferences[0] });`,
  },
  {
    file: bind,
    from: `throw error instanceof DirectoryUnavailable && error.passwordSent
        ? error
        : (wire?.givenUp ?? unavailableOf(error));`,
    to: `const away = wire?.givenUp ?? unavailableOf(error);
      if (away.refers === undefined) throw away;
      return await withWire({ ...limits, url: away.refers }, work);`,
  },
  {
    file: bind,
    from: 'openWire(settings, {',
    to: 'openWire({ ...settings, url: limits.url ?? settings.url }, {',
  },
  // As much as comes, of any shape; a directory that is away knows nobody.
  { file: messages, from: `if (total > mostBytes) throw new DirectoryUnavailable('too_much');`, to: '' },
  { file: messages, from: `if (wanted > mostBytes) throw new DirectoryUnavailable('too_much');`, to: '' },
  {
    file: messages,
    from: 'messages.push(checkMessage(rest.subarray(0, wanted)));',
    to: `messages.push(rest.subarray(0, wanted));
        try {
          checkMessage(rest.subarray(0, wanted));
        } catch (error) {
          if (error.refers !== undefined) throw error;
        }`,
  },
  {
    file: login,
    from: '({ authenticate }) => authenticate(sought, password));',
    to: '({ authenticate }) => authenticate(sought, password)).catch(() => undefined);',
  },
  { file: directory, from: 'loginMilliseconds = directoryLoginMilliseconds', to: 'loginMilliseconds = 8000' },
  // As many guesses as one likes.
  {
    file: '/throttle/throttle.ts',
    from: `outcome = 'refused' in verification ? 'failure' : right;`,
    to: `outcome = 'success';`,
  },
  {
    file: '/throttle/throttle.ts',
    from: `store.settle(keys, 'failure', byDevice)`,
    to: `store.settle(keys, 'success', byDevice)`,
  },
  // Whoever left stays, and everybody is gone where the directory is away.
  {
    file: recheck,
    from: 'findAll(subjects, { withGroups }));',
    to: 'findAll(subjects, { withGroups })).catch(() => []);',
  },
  {
    file: recheck,
    from: `if (person === undefined) return { link, verdict: 'gone' }`,
    to: `if (person === undefined) return { link, verdict: found.length === 0 ? 'gone' : 'stays' }`,
  },
  { file: recheck, from: `verdict: 'unmapped' }`, to: `verdict: 'stays' }` },
  { file: recheck, from: `isHere ? 'stays' : 'moved'`, to: `'stays'` },
  // Anybody sets mappings, of any kind, whatever was shown and whoever is left.
  {
    file: '/gate/src/checks/permission-check.ts',
    from: 'if (decide(',
    to: `if (!path.startsWith('/api/v1/providers/') && decide(`,
  },
  { file: mappings, from: 'reach.ofEverybody(call.caller);', to: '' },
  { file: map, from: '(group !== everybody || roleId !== adminRoleId)', to: 'roleId > 0' },
  { file: map, from: ' || (group === everybody && mapping.roleId === adminRoleId)', to: '' },
  { file: mappings, from: `if (now.digest !== wish.digest) throw new AppError('plan_changed');`, to: '' },
  { file: mappings, from: 'lost.length === 0 ||', to: 'lost.length >= 0 ||' },
  {
    file: '/users/user-access-store.ts',
    from: 'if (user.enabled && user.roleId === 1) await keepAnAdministrator(transaction, user.id);',
    to: '',
  },
  // Also beside the plan.
  {
    file: 'contract/src/endpoints/ways-in/providers.ts',
    from: 'changed({ ...fields, secret })',
    to: 'changed({ ...fields, secret, roleSource: Type.String() })',
  },
  {
    file: '/sign-in/providers/provider-store.ts',
    from: 'lifetime_seconds: fields.lifetimeSeconds,',
    to: `lifetime_seconds: fields.lifetimeSeconds,
    ...(fields.roleSource && { role_source: fields.roleSource }),`,
  },
  // Of several groups the one that gives most counts, also where roles are given here; who is in none stays in.
  {
    file: map,
    from: 'spelled.find(({ group }) => group === everybody || names.has(group))?.mapping',
    to: `spelled
      .filter(({ group }) => group === everybody || names.has(group))
      .map(({ mapping }) => mapping)
      .sort((one, other) => one.roleId - other.roleId)[0]`,
  },
  {
    file: '/groups/apply-group-mapping.ts',
    from: `if (provider.roleSource === 'here') return standard;`,
    to: '',
  },
  {
    file: '/groups/apply-group-mapping.ts',
    from: `if (mapped === undefined) return provider.roleSource === 'first' ? standard : undefined;`,
    to: 'if (mapped === undefined) return standard;',
  },
  {
    file: '/groups/apply-group-mapping.ts',
    from: 'if (mapped === undefined) return undefined;',
    to: 'if (mapped === undefined) return account;',
  },
  {
    file: mappings,
    from: 'return [...changes, ...(await endLinksOfNow(transaction, provider.id, links))];',
    to: 'return changes;',
  },
]);
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: It is source text.
