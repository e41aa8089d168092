// The listener for gateways, services and guards.
import type { Weakness } from './weakness.ts';

const src = 'packages/server/src';
const test = 'packages/server/test';
const accessApi = `${src}/permissions/decision-api/access-api.ts`;
const authzenTest = `${test}/permissions/decision-api/authzen.test.ts`;
const forwardAuth = `${src}/permissions/decision-api/forward-auth.ts`;
const forwardTest = `${test}/permissions/decision-api/forward-auth.test.ts`;
const listenerTest = `${test}/permissions/decision-api/listener.test.ts`;
const evaluate = `${src}/permissions/decision-api/evaluate.ts`;
const evaluations = `${src}/permissions/decision-api/evaluations.ts`;
const resolveScope = `${src}/permissions/decision-api/resolve-scope.ts`;
const scopeTest = `${test}/permissions/decision-api/scope.test.ts`;

export const decisionWeaknesses: readonly Weakness[] = [
  {
    name: 'a second header of a gateway wins',
    file: `${src}/permissions/decision-api/gateway-headers.ts`,
    before: "return before === undefined ? value : '';",
    after: 'return value;',
    seenBy: [forwardTest],
  },
  {
    name: 'an identified caller passes a gateway although a check refused',
    file: forwardAuth,
    before: 'error === undefined && target.caller !== undefined',
    after: 'target.caller !== undefined',
    seenBy: [forwardTest],
  },
  {
    name: 'a gateway needs no secret',
    file: forwardAuth,
    before: "if (!isSecret(headers.secret ?? '')) {",
    after: 'if (headers.secret === undefined) {',
    seenBy: [forwardTest],
  },
  {
    name: 'a gateway receives 200 where the role has no permission',
    file: `${src}/permissions/decision-api/refusal.ts`,
    before: 'permission_denied: 403,',
    after: 'permission_denied: 200,',
    seenBy: [forwardTest],
  },
  {
    name: 'forward-auth answers at every path with its prefix',
    file: `${src}/permissions/decision-api/listener.ts`,
    before: 'url === forwardAuthPath ||',
    after: 'url.startsWith(forwardAuthPath) ||',
    seenBy: [listenerTest],
  },
  {
    name: 'an empty previous secret is a secret',
    file: `${src}/permissions/decision-api/service-secret.ts`,
    before: ".filter((secret) => secret !== '')",
    after: '',
    seenBy: [listenerTest],
  },
  {
    name: 'the first of two secrets of a service is used',
    file: accessApi,
    before: 'found.length === 1 && ',
    after: '',
    seenBy: [listenerTest, authzenTest],
  },
  {
    name: 'a decision is sent after the lease ended',
    file: accessApi,
    before: 'if (current.isLive() !== true) break;',
    after: '',
    seenBy: [authzenTest],
  },
  {
    name: 'a decision is sent although access changed meanwhile',
    file: accessApi,
    before: 'if (current.generation === generation) return found;',
    after: 'if (current.generation >= generation) return found;',
    seenBy: [authzenTest],
  },
  {
    name: 'a malformed evaluation is allowed',
    file: evaluations,
    before: 'return { decision: false, context: { error',
    after: 'return { decision: true, context: { error',
    seenBy: [authzenTest],
  },
  {
    name: 'evaluations go on after the first that is denied',
    file: evaluations,
    before: "['deny_on_first_deny', false],",
    after: "['deny_on_first_deny', undefined],",
    seenBy: [authzenTest],
  },
  {
    name: 'a disabled role is evaluated',
    file: evaluate,
    before: 'isRoleKey(id) && (await isRoleEnabled(id)) === true ?',
    after: 'isRoleKey(id) ?',
    seenBy: [authzenTest],
  },
  {
    name: 'a named user who must change the password first is allowed',
    file: evaluate,
    before: '...(user.passwordDue === undefined ? {} : { passwordDue: true })',
    after: '',
    seenBy: [`${test}/permissions/decision-api/due-password.test.ts`],
  },
  {
    name: 'a route with a query is evaluated',
    file: evaluate,
    before: "if (resource.id.includes('?')) return",
    after: "if (resource.id.includes('??')) return",
    seenBy: [authzenTest],
  },
  {
    name: 'the data scope of own rows is all rows',
    file: resolveScope,
    before: "? { scope: 'own',",
    after: "? { scope: 'all',",
    seenBy: [scopeTest],
  },
  {
    name: 'an unknown or disabled user sees all rows',
    file: resolveScope,
    before: "if (role === undefined) return { scope: 'own',",
    after: "if (role === undefined) return { scope: 'all',",
    seenBy: [scopeTest],
  },
  {
    name: 'every guard is disconnected after ten seconds',
    file: 'packages/server/src/permissions/decision-api/guard/guard-connections.ts',
    before: 'silence.refresh();',
    after: '',
    seenBy: ['packages/server/test/permissions/decision-api/guard/guard-connections.test.ts'],
  },
  {
    name: 'a silent guard is never disconnected',
    file: 'packages/server/src/permissions/decision-api/guard/guard-connections.ts',
    before: 'setTimeout(() => socket.terminate(), silenceMilliseconds)',
    after: 'setTimeout(() => {}, silenceMilliseconds)',
    seenBy: ['packages/server/test/permissions/decision-api/guard/guard-connections.test.ts'],
  },
];
