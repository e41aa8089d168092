// The product's own checks, and everything that they ask of the rest of the service, each answer replaceable.
import {
  type CurrentAccess,
  createCsrfCheck,
  createIdentityCheck,
  createLeaseCheck,
  createPasswordDueCheck,
  createPermissionCheck,
  createPipeline,
} from '@portcullis/gate';
import { compile, parseRule } from '@portcullis/policy';
import { createCallerLimitCheck } from '../../../packages/server/src/http/limits/caller-limit-check.ts';
import { createLimitCheck } from '../../../packages/server/src/http/limits/limit-check.ts';
import type { Fault } from './faults.ts';

const startedAt = 1_800_000_000_000;
const rule = parseRule({ roleKey: 'clerk', method: 'POST', path: '/api/v1/allowed' });
const snapshot = compile('rule' in rule ? [rule.rule] : [], 1);
const claims = {
  sub: '7',
  identity: 7,
  nice: 'carl',
  roleid: 2,
  rolekey: 'clerk',
  datascope: '3',
  jti: 'j',
  ep: 1,
  iss: 'portcullis',
  iat: startedAt / 1000 - 60,
  exp: startedAt / 1000 + 60,
};

/** What is asked, by what it is called, and what an honest service answers. */
export const honest = {
  verify: (): unknown => Promise.resolve({ kid: 'k1', claims }),
  findKey: (): unknown => ({}),
  isRevoked: (): unknown => false,
  findRole: (): unknown => ({ roleKey: 'clerk', dataScope: '3' }),
  now: (): unknown => startedAt,
  isLive: (): unknown => true,
  rules: (): unknown => snapshot,
  isExcluded: (): unknown => false,
};
export type Asked = typeof honest;

/** The answers are wrong on purpose, so their types are not believed anywhere here. */
export function createRealGuard(asked: Asked) {
  const answer = asked as { readonly [Name in keyof Asked]: () => never };
  let reads = 0;
  const current: CurrentAccess = {
    revision: { n: 1, mark: '' },
    get generation() {
      reads += 1;
      return reads === 1 ? 1 : 2;
    },
    isLive: () => answer.isLive(),
  };
  const pipeline = createPipeline({
    limit: createLimitCheck({ requestsPerSecond: 1000, burst: 1000, now: () => startedAt }),
    leased: createLeaseCheck({ isLive: () => answer.isLive() }),
    identify: createIdentityCheck({
      verify: () => answer.verify(),
      keys: { find: () => answer.findKey() },
      revocations: { isRevoked: () => answer.isRevoked() },
      findRole: () => answer.findRole(),
      changes: current,
      now: () => answer.now(),
    }),
    limitCaller: createCallerLimitCheck({
      requestsPerSecond: 1000,
      burst: 1000,
      now: () => startedAt,
      takingAway: [],
    }),
    site: createCsrfCheck([]),
    passwordDue: createPasswordDueCheck([]),
    permit: createPermissionCheck(
      { has: () => answer.isExcluded() } as never,
      {
        get snapshot() {
          return answer.rules();
        },
      } as never,
    ),
  });
  return { pipeline, current };
}

const failures: readonly Fault[] = [
  {
    name: 'throws',
    happen: () => {
      throw new Error('torn');
    },
  },
  {
    name: 'throws nothing',
    happen: () => {
      throw undefined;
    },
  },
];
const returns = (...values: readonly unknown[]): Fault[] =>
  values.map((value) => ({
    name: `returns ${typeof value === 'object' ? JSON.stringify(value) : String(value) || 'an empty text'}`,
    happen: () => value,
  }));
const expired = { ...claims, exp: startedAt / 1000 };

export const askedFaults: readonly (Fault & { readonly asked: keyof Asked })[] = [
  ...of('verify', [
    ...failures,
    { name: 'rejects', happen: () => Promise.reject(new Error('torn')) },
    { name: 'rejects with nothing', happen: () => Promise.reject(undefined) },
    { name: 'never settles', happen: () => new Promise(() => {}) },
    ...returns(undefined, null, true, {}, { claims: {} }, { kid: 'k1' }, { kid: 'k1', claims: expired }),
    ...returns({ kid: 'k1', claims: { ...claims, rolekey: 'admin' } }),
  ]),
  ...of('findKey', [...failures, ...returns(undefined)]),
  ...of('isRevoked', [...failures, ...returns(true, 'false', {})]),
  ...of('findRole', [
    ...failures,
    ...returns(undefined, null, {}, 'clerk', { roleKey: 'admin', dataScope: '1' }),
  ]),
  ...of('now', [...failures, ...returns(Infinity, claims.exp * 1000)]),
  ...of('isLive', [...failures, ...returns(false, undefined, null, 0, '')]),
  ...of('rules', [...failures, ...returns(undefined, null, {}, [], 'allow', true)]),
  ...of('isExcluded', failures),
];

/** Answers that their types rule out, and that a check which compares with the one good answer refuses all the same. */
export const misfits: typeof askedFaults = [
  ...of('verify', returns({ kid: 'k1', claims: { ...claims, exp: 'x' } })),
  ...of('isRevoked', returns(undefined, null, 0, '')),
  ...of('now', returns(undefined, Number.NaN, 'never', {})),
  ...of('isLive', returns('no', {}, 1)),
];

function of(asked: keyof Asked, faults: readonly Fault[]): (Fault & { asked: keyof Asked })[] {
  return faults.map((fault) => ({ asked, ...fault }));
}
