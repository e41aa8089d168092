// The composition of the modules, and what only tests of the whole service see: its background jobs, its stop, its settings, and
// what the schema lets a database role call.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const portcullis = `${src}/compose/portcullis.ts`;
const jobs = `${src}/compose/jobs.ts`;
const kit = `${src}/base/jobs/jobs.ts`;
const kitTest = `${test}/base/jobs/jobs.test.ts`;
const serviceTest = `${test}/compose/whole-service.test.ts`;
const orderTest = `${test}/compose/closing-order.test.ts`;
const schema = `${src}/base/settings/schema.ts`;
const boundsTest = `${test}/base/settings/bounds.test.ts`;
const functionsTest = `${test}/cluster/store/functions.test.ts`;
const jobsTest = `${test}/compose/background-jobs.test.ts`;

export const composeWeaknesses: readonly Weakness[] = [
  {
    name: 'mails are never swept',
    file: jobs,
    before: "{ name: 'sweep mails', every: minute, run: () => sweepMails(store, isMailSent(config)) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'links, link attempts and seen ids are never swept',
    file: jobs,
    before: "{ name: 'sweep links', every: minute, run: () => sweepLinks(store) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'used assertions are never swept',
    file: jobs,
    before: "{ name: 'sweep assertions', every: minute, run: () => sweepAssertions(store) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'revisions are never swept',
    file: jobs,
    before: "{ name: 'sweep revisions', every: minute, run: () => sweepRevisions(store) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'access requests are never swept',
    file: jobs,
    before: "{ name: 'sweep access requests', every: minute, run: () => sweepAccessRequests(store) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'password codes are never swept',
    file: jobs,
    before: "{ name: 'sweep password codes', every: minute, run: () => sweepCodes(store) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'enrolment codes are never swept',
    file: jobs,
    before: "{ name: 'sweep enrolment codes', every: minute, run: () => sweepEnrolments(store) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'temporary rules that have ended are never removed',
    file: jobs,
    before:
      "{ name: 'sweep temporary rules', every: minute, run: () => sweepTemporaryRules(store, access) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'sessions are never swept',
    file: jobs,
    before: "{ name: 'sweep sessions', every: minute, run: () => sweepSessions(store) },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'an erasure that an instance abandoned is not resumed',
    file: jobs,
    before: "{ name: 'finish erasures', every: minute, run: parts.erasure.finishOpen },",
    after: '',
    seenBy: [jobsTest],
  },
  {
    name: 'no background job rechecks directories',
    file: jobs,
    before: "{ name: 'recheck directories', every: minute, run: parts.recheck.sweep },",
    after: '',
    seenBy: [jobsTest],
    threat: 'T210',
  },
  {
    name: 'an instance that drains reports ready',
    file: portcullis,
    before: 'isOpen && !isDraining && access.lease.isLive()',
    after: 'isOpen && access.lease.isLive()',
    seenBy: [serviceTest],
  },
  {
    name: 'the limit of a caller is not wired',
    file: portcullis,
    before: 'limitCaller: createCallerLimitCheck({ ...config.limit, now, takingAway }),',
    after: 'limitCaller: () => void takingAway,',
    seenBy: [serviceTest],
  },
  {
    name: 'the revision of a change is not kept on the host',
    file: `${src}/compose/access.ts`,
    before: '...(hostMemory === undefined ? {} : { keep: hostMemory.keep }),',
    after: '',
    seenBy: [serviceTest],
    threat: 'T30',
    attacks: ['keeps the revision of a change on its host before the change is answered'],
  },
  {
    name: 'the heads are sent from the host before the login log has written its last ones',
    file: portcullis,
    before: 'opened.defer(anchors.close);',
    after: '',
    seenBy: [serviceTest],
    threat: 'T93',
    attacks: ['keeps the last heads of the login log elsewhere'],
  },
  {
    name: 'a stop keeps no head that the login log writes while it closes',
    file: portcullis,
    before: `opened.defer(anchors.close);
  const loginLog = await composeLoginLog({ store, instance: registration.id, config, logger });
  opened.defer(loginLog.close);`,
    after: `const loginLog = await composeLoginLog({ store, instance: registration.id, config, logger });
  opened.defer(loginLog.close);
  opened.defer(anchors.close);`,
    seenBy: [serviceTest],
    threat: 'T93',
    attacks: ['keeps the last heads of the login log elsewhere'],
  },
  {
    name: 'a stop leaves the background jobs running',
    file: portcullis,
    before: 'opened.defer(jobs.close);',
    after: '',
    seenBy: [serviceTest],
  },
  {
    name: 'no mail is sent',
    file: jobs,
    before: '...(isMailSent(config)',
    after: '...(!isMailSent(config)',
    seenBy: [orderTest],
  },
  {
    name: 'a background job dies silently with its first failure',
    file: kit,
    before: 'report(state, error instanceof Error ? error : new Error(String(error)));\n      return false;',
    after: 'return new Promise<boolean>(() => {});',
    seenBy: [kitTest],
  },
  {
    name: 'a failure of a background job is not counted',
    file: kit,
    before: 'state.failures += 1;',
    after: '',
    seenBy: [kitTest],
  },
  {
    name: 'a background job that fails counts as successful',
    file: kit,
    before: 'state.failures += 1;',
    after: 'state.failures += 1;\n    state.succeededAt = now();',
    seenBy: [kitTest],
  },
  {
    name: 'a close does not wait for the running pass of a background job',
    file: kit,
    before: 'await Promise.race([ended, wait(patienceMilliseconds, inTime.signal)]);',
    after: 'await Promise.race([Promise.resolve(), wait(patienceMilliseconds, inTime.signal)]);',
    seenBy: [kitTest],
  },
  {
    name: 'a close waits for ever for a pass that does not end',
    file: kit,
    before: 'await Promise.race([ended, wait(patienceMilliseconds, inTime.signal)]);',
    after: 'await ended;',
    seenBy: [kitTest],
  },
  {
    name: 'two instances do the same claimed work',
    file: `${src}/base/jobs/claimed.ts`,
    before: 'if (item === undefined) return false;',
    after: 'if (item === undefined) return work(item as Item).then(() => false);',
    seenBy: [kitTest],
  },
  {
    name: 'a failure for one item stops the others',
    file: `${src}/base/jobs/run-each.ts`,
    before: 'await work(item).catch((error: unknown) => failures.push(error));',
    after: 'await work(item);',
    seenBy: [`${test}/base/jobs/run-each.test.ts`],
  },
  {
    name: 'a stop closes resources before it sends the last answers',
    file: portcullis,
    before: 'opened.defer(async () => void (await Promise.all([closeApp(app), decision?.close()])));',
    after: 'opened.defer(() => void Promise.all([closeApp(app), decision?.close()]));',
    seenBy: [orderTest],
  },
  {
    name: 'changes do not wait for an instance that still sends its last answers',
    file: portcullis,
    before: 'await Promise.all([closeApp(app), decision?.close()])',
    after: 'await access.member.leave().then(() => Promise.all([closeApp(app), decision?.close()]))',
    seenBy: [orderTest],
  },
  {
    name: 'a stop stores no uses of exclusions',
    file: portcullis,
    before: 'opened.defer(() => exclusionUses.flush().catch(reportUses));',
    after: '',
    seenBy: [orderTest],
  },
  {
    name: 'a stop leaves the threads of password hashing running',
    file: portcullis,
    before: 'opened.defer(login.close);',
    after: '',
    seenBy: [orderTest],
  },
  {
    name: 'a stop closes the store of events while deliveries are noted in it',
    file: `${src}/compose/events.ts`,
    before: 'await deliverer.close();\n      close();\n      await store.destroy();',
    after: 'await store.destroy();\n      await deliverer.close();\n      close();',
    seenBy: [orderTest],
  },
  {
    name: 'a stop ends the connections of guards after the listener that waits for them',
    file: `${src}/compose/decision.ts`,
    before: `await lines.close();
      const closer = setInterval(() => server.closeIdleConnections(), closeIdleMilliseconds);
      if (server.listening) await new Promise((resolve) => void server.close(resolve));`,
    after: `const closer = setInterval(() => server.closeIdleConnections(), closeIdleMilliseconds);
      if (server.listening) await new Promise((resolve) => void server.close(resolve));
      await lines.close();`,
    seenBy: [orderTest],
  },
  {
    name: 'sessions that a provider ends are missing from the login log',
    file: `${src}/compose/routes.ts`,
    before: "await parts.loginLog.record({ ...attempt, outcome: 'success', reason: 'logout' });",
    after: 'void attempt;',
    seenBy: ['test/attack/directories/oidc-conduct.test.ts'],
    threat: 'T171',
    attacks: ['leaves the logout of the person in the login log'],
  },
  {
    name: 'the matrix has the revision from after it read the rules',
    file: `${src}/permissions/catalog/matrix/matrix-route.ts`,
    before:
      'const items = roles.items.flatMap(({ id, roleKey, name, enabled }, index): MatrixRole[] => {\n      const revision = revisions.get(id);',
    after:
      'const latest = await readRuleRevisions(store, roles.items);\n    const items = roles.items.flatMap(({ id, roleKey, name, enabled }, index): MatrixRole[] => {\n      const revision = latest.get(id);',
    seenBy: [`${test}/permissions/catalog/matrix/matrix-route.test.ts`],
    threat: 'T116',
    attacks: ['has the revision from before it read the rules'],
  },
  {
    name: 'every database role can call the functions of an erasure',
    file: `${src}/cluster/store/migrations/0032-erasure.sql`,
    before: "execute format('revoke execute on function %s from public', name);",
    after: '',
    seenBy: [functionsTest],
  },
  {
    name: 'a rejected record at the end of a chain is not noted for webhooks',
    file: `${src}/cluster/store/migrations/0031-webhooks.sql`,
    before:
      'create trigger login_log_dead_letters_noted after insert on login_log_dead_letters\n  referencing new table as added for each statement execute function note_login_log_chains();',
    after: '',
    seenBy: [functionsTest],
  },
  {
    name: 'a lease lasts a minute where a setting says so',
    file: schema,
    before: 'minimum: 2,\n          maximum: 10,\n          default: 10,',
    after: 'minimum: 2,\n          maximum: 60,\n          default: 10,',
    seenBy: [boundsTest],
  },
  {
    name: 'tokens of service accounts live a day where a setting says so',
    file: schema,
    before: 'maximum: 900,',
    after: 'maximum: 86_400,',
    seenBy: [boundsTest],
  },
  {
    name: 'the password of the mail server is shown among the settings',
    file: schema,
    before: "password: secret('Password at the SMTP server.'),",
    after: "password: Type.String({ default: '', description: 'Password at the SMTP server.' }),",
    seenBy: [boundsTest],
    threat: 'T97',
    attacks: ['mail.password is not among the settings that are shown'],
  },
];
