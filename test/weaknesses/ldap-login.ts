// Logins that a directory verifies: how people are found, what is sent to whom, and what is believed of an answer.
import { withoutLinkIndex, withoutOneLinkIndex, withoutProviderGuard } from './database-guards.ts';
import type { Place, Weakness } from './weakness.ts';

const providers = 'packages/server/src/sign-in/providers';
const directory = `${providers}/ldap/directory.ts`;
const people = `${providers}/ldap/search-people.ts`;
const groupReader = `${providers}/ldap/read-groups.ts`;
const bind = `${providers}/ldap/connection/bind.ts`;
const wire = `${providers}/ldap/connection/wire.ts`;
const startTls = `${providers}/ldap/connection/start-tls.ts`;
const messages = `${providers}/ldap/connection/checked-messages.ts`;
const login = `${providers}/ldap/ldap-login.ts`;
const source = `${providers}/ldap/source-store.ts`;
const address = `${providers}/ldap/connection/parse-directory-url.ts`;
const admit = `${providers}/provision-user.ts`;
const throttle = 'packages/server/src/sign-in/login/throttle/throttle.ts';
const attacks = 'test/attack/directories/directories-login.test.ts';

const firstOfTwo: Place = { file: people, before: 'entry && other === undefined ?', after: 'entry ?' };
const anyName: Place = { file: people, before: ' || !isSought(person, entry, sought)', after: '' };

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: It is source text.
export const ldapLoginWeaknesses: readonly Weakness[] = [
  {
    name: 'a filter is put together of text',
    file: people,
    before: 'return new EqualityFilter({ attribute: spelling.username, value: sought.username });',
    after: `{
      const [name] = sought.username.split('\\0');
      return \`(|(\${spelling.username}=\${name})(mail=\${name}))\`;
    }`,
    also: [
      {
        file: people,
        before: 'filter: new AndFilter({ filters: [isPerson, filter] }),\n      });',
        // What is true of all (RFC 4526), which the library does not read.
        after: "filter: `(&${isPerson}${filter})`.replaceAll('(&)', '(objectClass=*)'),\n      });",
      },
      { file: people, before: 'sizeLimit: 2,', after: '' },
      firstOfTwo,
      anyName,
      {
        file: source,
        before: 'const canonical = canonicalUsername(username);',
        after: "const canonical = canonicalUsername(username.split('\\0')[0]);",
      },
    ],
    seenBy: [attacks],
    threat: 'T200',
    attacks: ['finds no person', 'T200: while a filter built from text finds a person by them'],
  },
  {
    name: 'the groups of a group are found by its name as text',
    file: groupReader,
    before: 'const canonical = canonicalDn(dn);\n        if',
    after:
      "const canonical = canonicalDn(dn);\n        const unescaped = unescape(dn.replaceAll('\\\\', '%'));\n        if",
    also: [
      {
        file: groupReader,
        before: ".search(dn, { scope: 'base', attributes: ['memberOf'] })",
        after: `.search(groupBaseDn, {
            scope: 'sub',
            attributes: ['cn'],
            filter: \`(|(member=\${unescaped})(uniqueMember=\${unescaped}))\`,
          })`,
      },
      {
        file: groupReader,
        before: 'parents.push(...searchEntries.flatMap(memberOf));',
        after: 'parents.push(...searchEntries.map((group) => group.dn));',
      },
    ],
    seenBy: [attacks],
    threat: 'T200',
    attacks: ['a group with a filter in its name is a group and nothing else'],
  },
  {
    name: 'no password is a password of a directory',
    file: 'packages/contract/src/endpoints/sign-in/login.ts',
    before: 'password: Type.String({ minLength: 1,',
    after: 'password: Type.String({ minLength: 0,',
    also: [{ file: directory, before: "if (password === '') return undefined;", after: '' }],
    seenBy: [attacks],
    threat: 'T201',
    attacks: ['T201: is refused before the bind'],
  },
  {
    name: 'a directory is enabled whose reader has no password',
    file: bind,
    before: "if (readerPassword === '') throw new DirectoryUnavailable('reader_refused');",
    after: '',
    also: [
      {
        file: directory,
        before:
          "await wire.client.search(baseDn, { scope: 'base', attributes: ['objectClass'] });\n        return { certificateEndsAt",
        after: 'return { certificateEndsAt',
      },
    ],
    seenBy: [attacks],
    threat: 'T201',
    attacks: ['T201: is refused where the search account has none'],
  },
  {
    name: 'a person who is not in the directory logs in as no person',
    file: people,
    before: 'const [entry, other] = searchEntries;',
    after: `const [entry, other] = searchEntries;
    if (entry === undefined && /^[a-z]+$/.test(sought.username)) {
      const { username } = sought;
      return { person: { dn: '', subject: username, username, name: username, state: 'active' }, entry: {} };
    }`,
    seenBy: [attacks],
    threat: 'T202',
    attacks: ['T202: nobody is refused'],
  },
  {
    name: 'the directory verifies the name of a local account',
    file: source,
    before: '(account.id is null and providers.is_default)',
    after: 'providers.is_default',
    seenBy: [attacks],
    threat: 'T203',
    attacks: ['is never verified by the directory'],
  },
  {
    name: 'an account is linked to a person of a directory who is called like it',
    file: admit,
    before: 'const { provisioning } = person.provider;',
    after: `const { provider, identity, ip, requestId } = person;
    const known = await findAccount(store, identity.called);
    if (known !== undefined) {
      const { userId } = known.account;
      let id;
      await access.give(service, async (transaction) => {
        const call = callOf({ account: known.account, ip, requestId });
        id = await links.link(transaction, call, userId, linkOf(provider, identity), 'own');
        return [];
      });
      return { id, userId };
    }
    const { provisioning } = person.provider;`,
    also: [
      {
        file: login,
        before: 'name: readShownName(person.username),\n      groups,',
        after: "name: readShownName(person.username),\n      groups, called: person.name ?? '',",
      },
      {
        file: people,
        before: 'const ownAttributes = [spelling.username,',
        after: "const ownAttributes = ['displayName', spelling.username,",
      },
      {
        file: people,
        before: 'return { dn: entry.dn, subject, username, state };',
        after: "return { dn: entry.dn, subject, username, state, name: text('displayName') ?? '' };",
      },
    ],
    seenBy: [attacks],
    threat: 'T203',
    attacks: ['T203: gets no link by its mail address or its name'],
  },
  {
    name: 'a person of a directory is known by the name and not by the id of the entry',
    file: people,
    before: 'const subject = parseSubject(dialect, read(spelling.subject)[0]);',
    after: "const subject = canonicalUsername(String(read(spelling.username)[0] ?? ''));",
    also: [
      { file: people, before: 'const value = subjectValue(dialect, sought.subject);', after: '' },
      {
        file: people,
        before:
          'return value === undefined ? undefined : new EqualityFilter({ attribute: spelling.subject, value });',
        after: 'return new EqualityFilter({ attribute: spelling.username, value: sought.subject });',
      },
    ],
    seenBy: [attacks],
    threat: 'T204',
    attacks: [
      'T204: does not open the account of its earlier holder',
      'T204: does not open it by an entry that was removed and created again',
    ],
  },
  {
    name: 'a password is sent without TLS to a directory that has none',
    file: wire,
    before: 'if (!tlsFirst) await startTls(plain);',
    after: 'if (!tlsFirst && !(await startTls(plain))) return plain.resume();',
    also: [
      {
        file: wire,
        before: 'socket.getPeerCertificate().valid_to',
        after: "socket.getPeerCertificate?.().valid_to ?? '2100-01-01'",
      },
      {
        file: startTls,
        before: "if (!isSuccess(answer)) throw new DirectoryUnavailable('certificate');",
        after: 'return isSuccess(answer);',
      },
    ],
    seenBy: [attacks],
    threat: 'T205',
    attacks: [
      'T205: refuses StartTLS, and hears no password',
      'T205: answers in plain text, and hears no password',
    ],
  },
  {
    name: 'an address of a directory is anything',
    file: address,
    before: "url === null || !['ldap:', 'ldaps:'].includes(url.protocol) || url.hostname === ''",
    after: 'url === null',
    also: [
      {
        file: address,
        before: "url.username || url.password || url.search || url.hash || !['', '/'].includes(url.pathname)",
        after: 'false',
      },
      {
        file: 'packages/contract/src/provider.ts',
        before: 'const address = { minLength: 9,',
        after: 'const address = { minLength: 1,',
      },
    ],
    seenBy: [attacks],
    threat: 'T205',
    attacks: ['T205: takes no address like'],
  },
  {
    name: 'a directory is followed to where it refers',
    file: messages,
    before: "throw new DirectoryUnavailable('referral');",
    after:
      "throw Object.assign(new DirectoryUnavailable('referral'), { refers: String(readAll(rest.content)[0]?.content) });",
    also: [
      {
        file: people,
        before: "import type { Wire } from './connection/wire.ts';\n",
        after:
          "import { DirectoryUnavailable } from './connection/directory-unavailable.ts';\nimport type { Wire } from './connection/wire.ts';\n",
      },
      {
        file: people,
        before: 'const { searchEntries } = await client.search(baseDn, {',
        after: 'const { searchEntries, searchReferences } = await client.search(baseDn, {',
      },
      {
        file: people,
        before: 'const [entry, other] = searchEntries;',
        after: `const [entry, other] = searchEntries;
    if (searchReferences.length > 0)
      throw Object.assign(new DirectoryUnavailable('referral'), { refers: searchReferences[0] });`,
      },
      {
        file: bind,
        before: `throw error instanceof DirectoryUnavailable && error.passwordSent
        ? error
        : (wire?.givenUp ?? unavailableOf(error));`,
        after: `const away = wire?.givenUp ?? unavailableOf(error);
      if (away.refers === undefined) throw away;
      return await withWire({ ...limits, url: away.refers }, work);`,
      },
      {
        file: bind,
        before: 'openWire(settings, {',
        after: 'openWire({ ...settings, url: limits.url?.split(/[/]dc=/)[0] ?? settings.url }, {',
      },
    ],
    seenBy: [attacks],
    threat: 'T206',
    attacks: ['is not followed'],
  },
  {
    name: 'a directory that does not answer knows no person',
    file: login,
    before: '({ authenticate }) => authenticate(sought, password));',
    after: '({ authenticate }) => authenticate(sought, password)).catch(() => undefined);',
    seenBy: [attacks],
    threat: 'T207',
    attacks: [
      'T207: counts no failed attempt',
      'T207: answers what leads out of its message',
      'T207: hangs up, and the service lives',
    ],
  },
  {
    name: 'a directory answers as much as it likes',
    file: messages,
    before: "if (total > mostBytes) throw new DirectoryUnavailable('too_much');",
    after: '',
    also: [
      {
        file: messages,
        before: "if (wanted > mostBytes) throw new DirectoryUnavailable('too_much');",
        after: '',
      },
      {
        file: directory,
        before: 'loginMilliseconds = directoryLoginMilliseconds,',
        after: 'loginMilliseconds = 30_000,',
      },
    ],
    seenBy: [attacks],
    threat: 'T207',
    attacks: ['T207: answers megabytes', 'T207: answers without end'],
  },
  {
    name: 'a provider creates people whatever its provisioning',
    file: admit,
    before: "return provisioning === 'created' ? await create(person) : undefined;",
    after: 'return await create(person);',
    seenBy: [attacks],
    threat: 'T208',
    attacks: [
      'T208: gets no account where only people who are',
      'T208: is refused with an invitation that was never made',
    ],
  },
  {
    name: 'an invitation to a link is good as often as it is used',
    file: `${providers}/link-store.ts`,
    before: `.deleteFrom('link_invitations')
    .where('provider_id', '=', providerId)
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>\`now()\`)
    .returning('user_id')`,
    after: `.selectFrom('link_invitations')
    .where('provider_id', '=', providerId)
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>\`now()\`)
    .select('user_id')`,
    also: [
      {
        file: `${providers}/link-changes.ts`,
        before: 'await closeInvitations(transaction, userId, providerId);',
        after: '',
      },
      withoutOneLinkIndex,
    ],
    seenBy: [attacks],
    threat: 'T208',
    attacks: ['T208: is refused with the invitation of another person'],
  },
  {
    name: 'people link themselves without the password here',
    file: `${providers}/ldap/routes.ts`,
    before: "if (account?.userId !== caller.userId) throw new AppError('credentials_wrong');",
    after: '',
    seenBy: [attacks],
    threat: 'T208',
    attacks: ['T208: does not link by oneself without the password here'],
  },
  {
    name: 'people link themselves without the password there',
    file: login,
    before: 'authenticate({ username }, password)),',
    after: 'authenticate({ username }, undefined)),',
    also: [
      {
        file: bind,
        before: 'return await withWire(limits, async (wire) => {\n        try {',
        after:
          'if (password === undefined) return true;\n      return await withWire(limits, async (wire) => {\n        try {',
      },
    ],
    seenBy: [attacks],
    threat: 'T208',
    attacks: ['T208: does not link by oneself without the password there'],
  },
  {
    name: 'two accounts are linked to one person',
    ...withoutLinkIndex,
    seenBy: [attacks],
    threat: 'T208',
    attacks: ['T208: cannot link an entry of the directory that is linked to another account'],
  },
  {
    name: 'guesses are not counted',
    file: throttle,
    before: "outcome = 'refused' in verification ? 'failure' : right;",
    after: "outcome = 'success';",
    also: [
      {
        file: throttle,
        before: "return () => store.settle(keys, 'failure', byDevice);",
        after: "return () => store.settle(keys, 'success', byDevice);",
      },
    ],
    seenBy: [attacks],
    threat: 'T209',
    attacks: ['T209: are counted as guesses at a password are'],
  },
  {
    name: 'an account that a directory disabled keeps the session when it is asked again',
    file: `${providers}/ldap/recheck.ts`,
    before: "['gone', 'disabled', 'unmapped'].includes(verdict)",
    after: "['gone', 'unmapped'].includes(verdict)",
    seenBy: [attacks],
    threat: 'T210',
    attacks: ['T210: expires, and is out when the call returns'],
  },
  {
    name: 'a session by a provider is stored whatever became of the link and of the provider meanwhile',
    ...withoutProviderGuard,
    seenBy: [attacks],
    threat: 'T210',
    attacks: [
      'T210: and has a session, has no login that was verified before',
      'T210: and has none, has no login that was verified before',
    ],
  },
  {
    name: 'a directory that is away says of all people that they left',
    file: `${providers}/ldap/recheck.ts`,
    before: 'findAll(subjects, { withGroups }));',
    after: 'findAll(subjects, { withGroups })).catch(() => []);',
    seenBy: [attacks],
    threat: 'T210',
    attacks: ['T210: keeps the session while the directory is unreachable'],
  },
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: It is source text.
