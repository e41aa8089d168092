// Rules: who may give them, and what the engine makes of them; the exclusion list, the catalog and the audit log.
import type { Fault } from '../fault.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const isWithin = `${src}/values/is-within.ts`;
const withinTest = `${test}/values/is-within.test.ts`;
const ruleChanges = `${src}/rules/rule-changes.ts`;
const ruleTest = `${test}/rules/routes.test.ts`;
const decide = 'packages/policy/src/decide.ts';
const decideTest = 'packages/policy/test/decide.test.ts';
const routePath = `${src}/catalog/open-api/route-path.ts`;

export const rulesFaults: readonly Fault[] = [
  {
    name: 'a rule for all methods is given by who has GET',
    file: isWithin,
    before: "method === '*' ? methods : [method]",
    after: "method === '*' ? ['GET'] : [method]",
    seenBy: [withinTest],
  },
  {
    name: 'a rule for all below is given by who has one segment of it',
    file: isWithin,
    before: 'length: ruleLimits.segments + 2 - segments.length',
    after: 'length: 1',
    seenBy: [withinTest],
  },
  {
    name: 'a parameter is given by who has one value of it',
    file: isWithin,
    before: "segment.startsWith(':') ? unnameable : segment",
    after: "segment.startsWith(':') ? 'b' : segment",
    seenBy: [withinTest],
  },
  {
    name: 'rules are given and taken beyond what the caller may do',
    file: ruleChanges,
    before: 'await checkRules(transaction, caller, role.id, [...wanted.add, ...wanted.remove]);',
    after: '',
    seenBy: [ruleTest],
  },
  {
    name: 'rules are taken away beyond what the caller may do',
    file: ruleChanges,
    before: '[...wanted.add, ...wanted.remove]);',
    after: 'wanted.add);',
    seenBy: [ruleTest],
  },
  {
    name: 'who can call something is told beyond the data scope',
    file: `${src}/permission/callers-route.ts`,
    before: 'await listUsers(store, scope, {',
    after: "await listUsers(store, { kind: 'all' }, {",
    seenBy: [`${test}/permission/callers-route.test.ts`],
  },
  {
    name: 'people are counted beyond the data scope',
    file: `${src}/directory/users/holder-count-store.ts`,
    before: 'department_id = departments.id',
    after: 'department_id > 0 and departments.id > 0',
    seenBy: [`${test}/permission/callers-route.test.ts`, `${test}/rules/compare.test.ts`],
  },
  {
    name: 'who has a disabled role can still call',
    file: `${src}/permission/calling-role-store.ts`,
    before: ".where('enabled', '=', true)",
    after: '',
    seenBy: [`${test}/permission/callers-route.test.ts`],
  },
  {
    name: 'rules are compared by those of a moment ago',
    file: `${src}/rules/call-reach.ts`,
    before: 'await readRulesOfRole(transaction, otherId)',
    after: '[...(rules.snapshot.rules.get(String(otherId))?.values() ?? [])]',
    seenBy: [`${test}/rules/call-reach.test.ts`],
  },
  {
    name: 'a comparison of rules takes as long as it takes',
    file: `${src}/values/turns.ts`,
    before: 'if (worked > mostMilliseconds || !passes(item)) return false;',
    after: 'if (worked < 0 || mostMilliseconds < 0 || !passes(item)) return false;',
    seenBy: [`${test}/values/turns.test.ts`],
  },
  {
    name: 'a comparison of rules holds up everything else',
    file: `${src}/values/turns.ts`,
    before: 'await waitForTurn();',
    after: 'waitForTurn();',
    seenBy: [`${test}/values/turns.test.ts`],
  },
  {
    name: 'many comparisons of rules at once hold up everything else',
    file: `${src}/values/turns.ts`,
    before: 'last = last.then(() => lookAround());',
    after: 'last = lookAround();',
    seenBy: [`${test}/values/turns.test.ts`],
  },
  {
    name: 'a draft on old rules is saved over newer ones',
    file: ruleChanges,
    before: 'if (ifRevision !== undefined && revision > ifRevision)',
    after: 'if (ifRevision === -1)',
    seenBy: [ruleTest],
  },
  {
    name: 'removing a rule does not wait for the instances',
    file: `${src}/rules/routes.ts`,
    before: 'draft.remove.length > 0 ? access.takeAway : access.give',
    after: 'draft.remove.length > 1 ? access.takeAway : access.give',
    seenBy: [ruleTest],
  },
  {
    name: 'going back to earlier rules does not wait for the instances',
    file: `${src}/rules/routes.ts`,
    before: 'access.takeAway(call, changes.rollback(',
    after: 'access.give(call, changes.rollback(',
    seenBy: [`${test}/rules/history.test.ts`],
  },
  {
    name: 'HEAD is decided as GET',
    file: 'packages/policy/src/method.ts',
    before: 'const bit = bits.get(method);',
    after: "const bit = bits.get(method === 'HEAD' ? 'GET' : method);",
    seenBy: [decideTest],
  },
  {
    name: 'a path with a slash at its end is the one without',
    file: decide,
    before: 'if (at === path.length) return',
    after: "if (at === path.length || path.slice(at) === '/') return",
    seenBy: [decideTest],
  },
  {
    name: 'a parameter stands for several segments',
    file: decide,
    before: "const end = path.indexOf('/', at);",
    after: "const end = path.lastIndexOf('/');",
    seenBy: [decideTest],
  },
  {
    name: 'a business endpoint is on the exclusion list',
    file: `${src}/permission/exclusion-list.ts`,
    before: 'if (endpoint.excludable !== true)',
    after: 'if (endpoint.excludable === null)',
    seenBy: [`${test}/permission/exclusion-list.test.ts`],
  },
  {
    name: 'logout is not on the exclusion list',
    file: `${src}/settings/schema.ts`,
    before: "'POST /api/v1/logout',",
    after: '',
    seenBy: ['test/conformance/endpoints.test.ts'],
  },
  {
    name: 'an explanation allows what a disabled user asks for',
    file: `${src}/permission/explain-request.ts`,
    before: 'if (subject.userEnabled === false) return',
    after: 'if (subject.userEnabled === null) return',
    seenBy: [`${test}/permission/explain-request.test.ts`],
  },
  {
    name: 'a path of a document becomes a wildcard',
    file: routePath,
    before: "if (segment.includes('*')) return",
    after: "if (segment.includes('**')) return",
    seenBy: [`${test}/catalog/open-api/parse-open-api.test.ts`],
  },
  {
    name: 'a path of a document becomes a parameter',
    file: routePath,
    before: "if (segment.includes(':')) return",
    after: "if (segment.includes('::')) return",
    seenBy: [`${test}/catalog/open-api/parse-open-api.test.ts`],
  },
  {
    name: 'a rule of a disabled role opens a route in the report',
    file: `${src}/catalog/report-routes.ts`,
    before: ' && enabledRoleKeys.has(item.roleKey)',
    after: '',
    seenBy: [`${test}/catalog/report-routes.test.ts`],
  },
  {
    name: 'a comparison of routes leaves out what is lost',
    file: `${src}/catalog/compare-reach.ts`,
    before: 'riseOf(route) < 0',
    after: 'riseOf(route) < -1',
    seenBy: [`${test}/catalog/compare-reach.test.ts`],
  },
  {
    name: 'a single change is not recorded',
    file: `${src}/audit/with-record.ts`,
    before: 'if (changes.length > 0)',
    after: 'if (changes.length > 1)',
    seenBy: [`${test}/audit/recorded-changes.test.ts`],
  },
  {
    name: 'the audit log is shown beyond the data scope',
    file: `${src}/audit/audit-store.ts`,
    before: 'where users.id = ',
    after: 'where true or users.id = ',
    seenBy: [`${test}/audit/routes.test.ts`],
  },
  {
    name: 'the audit log names users beyond the data scope',
    file: `${src}/audit/name-store.ts`,
    before: 'sql`(id = ',
    after: 'sql`(true or id = ',
    seenBy: [`${test}/audit/routes.test.ts`],
  },
  {
    name: 'an activity has changes that somebody beyond the data scope made',
    file: `${src}/audit/person-store.ts`,
    before: 'sql`(actor.id = ',
    after: 'sql`(true or actor.id = ',
    seenBy: [`${test}/activity/routes.test.ts`],
  },
  {
    name: 'an activity loses changes between two pages of logins',
    file: `${src}/activity/merge-logs.ts`,
    before: 'id >= loginsEnd',
    after: "id >= '' && loginsEnd !== ''",
    seenBy: [`${test}/activity/merge-logs.test.ts`],
  },
];
