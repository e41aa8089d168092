// The request of a call: a parameter cannot turn it into another call, and the token is in the header alone.
import { describe, expect, it } from 'vitest';
import { requestOf, targetOf } from '../src/request.ts';

const path = '/api/v1/users/:id/sessions';

describe('the target', () => {
  it.each([
    '..',
    '.',
    '',
    '/',
    'a/b',
    '%2e%2e',
    '..%2f',
    'a?b',
    'a#b',
    'a b',
    'é',
    'x'.repeat(65),
    undefined,
    null,
  ])('is not made with the parameter %j', (id) => {
    expect(() => targetOf(path, { params: { id } })).toThrow('The path parameter "id" cannot be sent.');
  });

  it('is not made without its parameters', () => {
    expect(() => targetOf(path, {})).toThrow('"id"');
  });

  it('has parameters and query where they belong', () => {
    const query = { username: 'ä b&c', from: '2026-01-01T00:00:00+01:00', limit: 5, ip: undefined, os: null };
    expect(targetOf(path, { params: { id: 7 }, query })).toBe(
      '/api/v1/users/7/sessions?username=%C3%A4+b%26c&from=2026-01-01T00%3A00%3A00%2B01%3A00&limit=5',
    );
    expect(targetOf('/api/v1/sessions', { query: { id: [1, 2] } })).toBe('/api/v1/sessions?id=1&id=2');
    expect(targetOf('/api/v1/sessions', { query: {} })).toBe('/api/v1/sessions');
  });
});

describe('the request', () => {
  it('has the token in its header, and follows no redirect', () => {
    expect(requestOf({ body: { a: 1 } }, { method: 'PUT', token: 't', language: 'zh' })).toEqual({
      method: 'PUT',
      redirect: 'error',
      headers: { authorization: 'Bearer t', 'accept-language': 'zh', 'content-type': 'application/json' },
      body: '{"a":1}',
    });
  });

  it('says where no token is given that no other page sends it', () => {
    expect(requestOf({}, { method: 'DELETE', token: undefined, language: undefined }).headers).toEqual({
      'x-requested-with': 'XMLHttpRequest',
    });
  });
});
