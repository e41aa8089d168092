import { expect, it } from 'vitest';
import { findLost, findWiderRules } from '../../../src/pages/matrix/wider-rules.ts';
import { route } from './matrix-samples.ts';

const rule = (text: string) => {
  const [method = '', path = ''] = text.split(' ');
  return { method, path };
};
const [list, show, change, bill] = [
  route('GET', '/orders'),
  route('GET', '/orders/:id'),
  route('PUT', '/orders/:id'),
  route('GET', '/bills/:id'),
] as const;
const open = route('GET', '/orders/open', { access: 'identity' });
const routes = [list, show, change, bill, open];

it('names every rule that allows the endpoint but its own, and what goes with them', () => {
  const rules = ['* /orders/*', '* /*', 'GET /orders/7', 'GET /bills/:id'].map(rule);
  expect(findWiderRules([show], rules, routes)).toEqual({
    rules: [rule('* /orders/*'), rule('* /*')],
    lost: [list, show, change],
    kept: [rule('GET /orders'), rule('PUT /orders/:id')],
  });
});

it('keeps what another rule allows, and an own rule of the endpoint', () => {
  const rules = ['* /orders/*', 'PUT /orders/:n', 'GET /orders/:id'].map(rule);
  expect(findWiderRules([change], rules, routes)).toMatchObject({
    rules: [rule('* /orders/*'), rule('PUT /orders/:n')],
    lost: [change],
    kept: [],
  });
});

it('an endpoint of two services is kept by one rule, and goes with its own', () => {
  const twice = [show, { ...show, service: 'archive' }, change, { ...change, service: 'archive' }];
  expect(findWiderRules([show], [rule('* /orders/*')], twice).kept).toEqual([rule('PUT /orders/:id')]);
});

it('of several endpoints the wider rules of each are named once, and their own rules go too', () => {
  const rules = ['GET /orders/*', 'GET /orders', '* /*'].map(rule);
  expect(findWiderRules([list, show], rules, routes)).toEqual({
    rules: [rule('GET /orders/*'), rule('* /*')],
    lost: [list, show, change, bill],
    kept: [rule('PUT /orders/:id'), rule('GET /bills/:id')],
  });
});

it('nothing is lost where nothing is removed', () => {
  expect(findLost([rule('* /*')], [], routes)).toEqual([]);
});
