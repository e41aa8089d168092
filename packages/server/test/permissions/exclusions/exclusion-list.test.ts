import { defineEndpoint, endpoints, reply } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/base/settings/read-settings.ts';
import { lintExclusions } from '../../../src/permissions/exclusions/exclusion-list.ts';

const orders = defineEndpoint({
  method: 'GET',
  path: '/api/v1/orders',
  access: 'permission',
  title: 'List orders',
  reply: reply({}),
});
const lint = (...entries: string[]) => lintExclusions(entries, [...endpoints, orders]);

describe('an exclusion', () => {
  it.each([
    'GET /api/v1/nothing',
    'GET /api/v1/login',
    'post /api/v1/login',
    'POST  /api/v1/login',
    'POST /api/v1/login ',
    'POST /api/v1/login/',
    'POST /API/V1/login',
    '/api/v1/login',
    'POST',
    '* /api/v1/login',
    'POST /api/v1/*',
    'POST *',
    '*',
    'GET /api/v1/refresh_token',
    '',
  ])('%j names no endpoint and is refused', (entry) => {
    expect(lint(entry)).toEqual([
      `\`permission.exclusions\` names \`${entry}\`, which is not an endpoint of this service. Remove the entry.`,
    ]);
  });

  it.each(['GET /api/v1/orders', 'GET /api/v1/getinfo'])(
    '%s names an endpoint that is not excludable and is refused',
    (entry) => {
      expect(lint(entry)).toEqual([
        `\`permission.exclusions\` names \`${entry}\`, a business endpoint: every role could call it. Remove the entry and grant the endpoint to roles with a rule.`,
      ]);
    },
  );

  it('that is fine does not excuse one that is not', () => {
    expect(lint('POST /api/v1/login', 'GET /api/v1/orders', 'GET /api/v1/nothing')).toHaveLength(2);
  });

  it('of the defaults is accepted', () => {
    const { exclusions } = readSettings({ environment: {} }).permission;
    expect(exclusions).toHaveLength(11);
    expect(lint(...exclusions)).toEqual([]);
  });

  it('may be missing: the list may be empty', () => {
    expect(lint()).toEqual([]);
  });
});
