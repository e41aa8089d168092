import { dataReply, defineEndpoint } from '@portcullis/contract';
import { compile, parseRule } from '@portcullis/policy';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { explainRequest } from '../../../src/permissions/explain/explain-request.ts';
import type { Subject } from '../../../src/permissions/explain/subject-store.ts';

const reply = dataReply(Type.Null());
const declare = (
  access: 'public' | 'identity' | 'permission',
  method: 'GET' | 'PUT',
  path: `/api/v1/${string}`,
) => defineEndpoint({ method, path, access, title: `Title of ${path}`, reply });
const endpoints = [
  declare('public', 'GET', '/api/v1/greeting'),
  declare('identity', 'GET', '/api/v1/getinfo'),
  declare('permission', 'GET', '/api/v1/notices'),
  declare('permission', 'GET', '/api/v1/orders/:id'),
  declare('permission', 'GET', '/api/v1/orders/open'),
  { ...declare('identity', 'PUT', '/api/v1/user/password'), forDuePassword: true as const },
];
const rules = [
  ['editor', 'GET', '/api/v1/orders/:id'],
  ['editor', '*', '/shop/*'],
].flatMap(([roleKey = '', method = '', path = '']) => {
  const parsed = parseRule({ roleKey, method, path });
  return 'rule' in parsed ? [parsed.rule] : [];
});
const snapshot = compile(rules, 42);
const exclusions = ['GET /api/v1/notices'];

const role: Subject = {
  userId: null,
  username: null,
  roleKey: 'editor',
  userEnabled: null,
  roleEnabled: true,
  passwordChangeRequired: false,
};
const mei: Subject = { ...role, userId: 7, username: 'mei', userEnabled: true };

function ask(subject: Subject, request: string) {
  const [method = '', ...rest] = request.split(' ');
  return explainRequest({ subject, method, path: rest.join(' '), endpoints, exclusions, snapshot });
}

// biome-ignore format: One row a question.
const questions = [
  // subject                             request                          decision  step
  ['a path with an empty segment', role, 'GET /api/v1//orders',           'deny',  'not_canonical'],
  ['a path with a query',          role, 'GET /shop/a?b=1',               'deny',  'not_canonical'],
  ['a path with an escape',        role, 'GET /shop/%61',                 'deny',  'not_canonical'],
  ['dots, also for admin',         { ...role, roleKey: 'admin' }, 'GET /shop/../a', 'deny', 'not_canonical'],
  ['a method in small letters',    role, 'get /shop/a',                   'deny',  'not_canonical'],
  ['a disabled user',              { ...mei, userEnabled: false }, 'GET /shop/a', 'deny', 'user_disabled'],
  ['a disabled admin',             { ...mei, roleKey: 'admin', userEnabled: false }, 'GET /shop/a', 'deny', 'user_disabled'],
  ['a disabled role',              { ...mei, roleEnabled: false }, 'GET /api/v1/getinfo', 'deny', 'role_disabled'],
  ['a due password',               { ...mei, passwordChangeRequired: true }, 'GET /shop/a', 'deny', 'password_change_required'],
  ['a due password of admin',      { ...mei, roleKey: 'admin', passwordChangeRequired: true }, 'GET /shop/a', 'deny', 'password_change_required'],
  ['no rule',                      role, 'PUT /api/v1/orders/7',          'deny',  'no_rule'],
  ['a look-alike of admin',        { ...role, roleKey: 'admins' }, 'GET /shop/a', 'deny', 'no_rule'],
  ['the method HEAD',              role, 'HEAD /shop/a',                  'allow', 'rule'],
  ['a public endpoint',            { ...mei, userEnabled: false }, 'GET /api/v1/greeting', 'allow', 'public'],
  ['an identity endpoint',         { ...role, roleKey: 'guest' }, 'GET /api/v1/getinfo', 'allow', 'identity'],
  ['the own password while due',   { ...mei, passwordChangeRequired: true }, 'PUT /api/v1/user/password', 'allow', 'identity'],
  ['admin',                        { ...role, roleKey: 'admin' }, 'DELETE /anything', 'allow', 'admin'],
  ['admin on an excluded one',     { ...role, roleKey: 'admin' }, 'GET /api/v1/notices', 'allow', 'admin'],
  ['an excluded endpoint',         { ...role, roleKey: 'guest' }, 'GET /api/v1/notices', 'allow', 'excluded'],
  ['a rule',                       mei,  'GET /api/v1/orders/7',          'allow', 'rule'],
  ['a rule for a business path',   mei,  'DELETE /shop/a/b',              'allow', 'rule'],
] as const;

describe('an explanation', () => {
  it.each(questions)('of %s', (_what, subject, request, decision, step) => {
    expect(ask(subject, request)).toMatchObject({ decision, step, subject, revision: 42 });
  });

  it('names the rule that allows', () => {
    expect(ask(mei, 'GET /api/v1/orders/7')).toMatchObject({
      rule: { method: 'GET', path: '/api/v1/orders/:id' },
      nearest: [],
      sentence: expect.stringContaining('because of its rule GET /api/v1/orders/:id'),
    });
  });

  it('names the nearest rule and what differs', () => {
    expect(ask(role, 'PUT /api/v1/orders/7')).toMatchObject({
      rule: null,
      nearest: [
        {
          rule: { method: 'GET', path: '/api/v1/orders/:id' },
          differs: [{ kind: 'method', expected: 'GET', actual: 'PUT' }],
        },
      ],
    });
  });

  it('names the endpoint that the router would find, and none for a path of another service', () => {
    expect(ask(role, 'GET /api/v1/orders/open').endpoint?.path).toBe('/api/v1/orders/open');
    expect(ask(role, 'GET /api/v1/orders/7').endpoint).toEqual({
      method: 'GET',
      path: '/api/v1/orders/:id',
      title: 'Title of /api/v1/orders/:id',
      access: 'permission',
    });
    expect(ask(role, 'PUT /api/v1/orders/7').endpoint).toBeNull();
    expect(ask(role, 'GET /shop/a').endpoint).toBeNull();
  });

  it('cuts a long path in its sentence', () => {
    expect(ask(role, `GET /${'a'.repeat(64)}/${'b'.repeat(64)}//`).sentence.length).toBeLessThan(200);
  });
});
