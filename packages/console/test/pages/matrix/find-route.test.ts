import { expect, it } from 'vitest';
import { findRoute } from '../../../src/pages/matrix/find-route.ts';
import { route } from './matrix-samples.ts';

const routes = [route('GET', '/orders/:id'), route('GET', '/orders/open'), route('DELETE', '/:what/:id')];

it.each([
  ['GET', '/orders', undefined],
  ['PUT', '/orders/7', undefined],
  ['GET', '/orders/7', '/orders/:id'],
  ['GET', '/orders/:number', '/orders/:id'],
  ['GET', '/orders/open', '/orders/open'],
  ['DELETE', '/orders/7', '/:what/:id'],
])('%s %s is a call of %s', (method, path, expected) => {
  expect(findRoute({ method, path }, routes)?.path).toBe(expected);
});
