import { parseRule } from '@portcullis/policy';
import { expect, it } from 'vitest';
import { readTypedRule } from '../../../src/pages/role/typed-rule.ts';

it.each([
  ['/orders', 'method'],
  ['TRACE /orders', 'method'],
  ['GET', 'path'],
  ['GET /', 'path'],
  ['GET orders', 'path'],
  ['GET /orders /bills', 'path'],
  ['GET /*/orders', 'wildcard'],
  ['GET /a*/orders', 'wildcard'],
  ['GET /a*', 'segment'],
  ['GET /a//b', 'segment'],
  ['GET /a/', 'segment'],
  ['GET /(.*)', 'segment'],
  ['GET /:1', 'segment'],
])('%s is no rule for its %s', (text, problem) => {
  expect(readTypedRule(text)).toEqual({ problem });
});

it.each([
  ['GET /orders/:id', 'GET', '/orders/:id'],
  ['  delete   /orders/* ', 'DELETE', '/orders/*'],
  ['* /a-b/c.d~_', '*', '/a-b/c.d~_'],
])('%s is a rule, as the engine has it', (text, method, path) => {
  expect(readTypedRule(text)).toEqual({ rule: { method, path } });
  expect(parseRule({ roleKey: 'any', method, path })).toHaveProperty('rule');
});
