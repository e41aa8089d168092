import { compile, parseRule, type Rule } from '@portcullis/policy';
import { expect, it } from 'vitest';
import { listPermissions } from '../../../src/permissions/explain/list-permissions.ts';

const rule = (roleKey: string, method: string, path: string): Rule => {
  const parsed = parseRule({ roleKey, method, path });
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.rule;
};
const snapshot = compile(
  [rule('editor', 'GET', '/orders'), rule('editor', '*', '/files/*'), rule('admin', 'GET', '/orders')],
  1,
);

it.each([
  ['nobody', []],
  ['', []],
  ['Admin', []],
  ['editor', ['* /files/*', 'GET /orders']],
  ['admin', ['*:*:*']],
])('the role %j may do %j', (roleKey, permissions) => {
  expect(listPermissions(snapshot, roleKey).toSorted()).toEqual(permissions);
});
