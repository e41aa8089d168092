// What a rule allows here, held against casbin with go-admin's own model: never more, and where nothing is said to be
// narrower, the same on every path that a server would take for one.
import { compile, decide } from '@portcullis/policy';
import { newEnforcer, newModelFromString } from 'casbin';
import { expect, it } from 'vitest';
import { goAdminModel } from '../../../policy/test/go-admin-model.ts';
import { translateRule } from '../../src/go-admin/translate-rule.ts';

const rule = (v1: string, v2: string) => ({ ptype: 'p', v0: 'editor', v1, v2 });
const taken = [
  ...['/api/v1/menu', '/api/v1/menu/:id', '/api/v1/dict/data/:dictCode', '/ws/:id/:channel'],
  ...[
    '/api/v1/user/:user-id',
    '/api/v1/:1st/x',
    '/api/v1/:名/x',
    '/',
    '/files/report.pdf',
    '/static/*',
    '/*',
  ],
].flatMap((path) => ['GET', 'DELETE', '*'].map((method) => rule(path, method)));

const paths = [
  ...['/', '/api', '/api/v1/menu', '/api/v1/menu/', '/api/v1/menu/7', '/api/v1/menu/7/8', '/api/v1/Menu'],
  ...[
    '/api/v1/dict/data/sys_normal',
    '/api/v1/dict/data',
    '/ws/1/log',
    '/ws/1',
    '/api/v1/user/7',
    '/api/v1/user/a-b',
  ],
  ...[
    '/api/v1/x/x',
    '/api/v1/x',
    '/files/report.pdf',
    '/files/reportxpdf',
    '/static',
    '/static/',
    '/static/a/b.js',
  ],
  ...['/api/v1/menu/%37', '/api/v1//menu', '/api/v1/menu/..', '/api/v1/menu;x', '/api/v1/menu/:id'],
];
const methods = ['GET', 'POST', 'DELETE', 'HEAD', 'get', 'TRACE'];

it.each(taken)('$v2 $v1 allows nothing that casbin does not', async (row) => {
  const translated = translateRule(row);
  if ('reason' in translated) throw new Error(translated.reason);
  const snapshot = compile([translated.rule], 1);
  const enforcer = await newEnforcer(newModelFromString(goAdminModel));
  await enforcer.addPolicy(row.v0, row.v1, row.v2);
  for (const path of paths)
    for (const method of methods) {
      const here = decide(snapshot, 'editor', method, path) === 'allow';
      const there = await enforcer.enforce('editor', path, method);
      const request = `${method} ${path}`;
      if (here) expect({ request, there }).toEqual({ request, there: true });
      const isPlain = /^(\/[\w-]+)+$/.test(path) && methods.slice(0, 4).includes(method);
      if (isPlain && translated.narrowed.length === 0)
        expect({ request, here }).toEqual({ request, here: there });
      expect(decide(snapshot, 'other', method, path)).toBe('deny');
    }
});

it.each([
  ['a path that is a regular expression', rule('/api/v1/(x+x+)+y', 'GET'), /not a regular expression/],
  ['a star beside other characters', rule('/api/v1/menu*', 'GET'), /whole last segment/],
  ['a star in the middle, which is all below it to casbin', rule('/api/*/menu', 'GET'), /only be the last/],
  ['a parameter beside other characters', rule('/api/v1/menu-:id', 'GET'), /not plain text/],
  ['a slash at the end', rule('/api/v1/dict/databytype/', 'GET'), /leave it off/],
  ['a path without a slash', rule('*', 'GET'), /start with "\/"/],
  [
    'a method in lower case, which casbin never meets',
    rule('/api/v1/menu', 'get'),
    /allows nothing in go-admin/,
  ],
  ['a method that is none', rule('/api/v1/menu', '无'), /method/],
  ['methods as an expression', rule('/api/v1/menu', '(GET)|(POST)'), /method/],
  ['a group', { ptype: 'g', v0: 'ann', v1: 'editor', v2: '' }, /inherit/],
  ['a rule with a further field', { ...rule('/api/v1/menu', 'GET'), v3: 'deny' }, /fields/],
  ['a rule without a method', { ...rule('/api/v1/menu', ''), v2: null }, /fields/],
])('%s is refused with the reason', (_what, row, reason) => {
  expect(translateRule(row)).toEqual({ reason: expect.stringMatching(reason) });
});
