import { expect, it } from 'vitest';
import { createAllowedAddresses } from '../../../src/base/outbound/allowed-addresses.ts';
import { parseWebhookUrl } from '../../../src/people/webhooks/webhook-url.ts';

const strict = createAllowedAddresses({ allowedNetworks: ['10.0.0.0/8'] });
const local = createAllowedAddresses({ allowedNetworks: [], allowLoopback: true });

it.each([
  'nothing',
  'https://user@example.com/',
  'https://:word@example.com/',
  'https://example.com/#part',
  'https://192.168.1.1/',
  'https://[::1]/',
  'http://example.com/',
  'http://10.0.0.1/',
  'http://127.0.0.1/',
  'http://localhost/',
  'ftp://example.com/',
])('events do not go to %s', (url) => {
  expect(parseWebhookUrl(url, strict)).toBeUndefined();
});

it.each(['https://example.com/a?b=c', 'https://10.0.0.1/', 'https://8.8.8.8/', 'https://localhost/'])(
  'events go to %s',
  (url) => {
    expect(parseWebhookUrl(url, strict)?.href).toBe(url);
  },
);

it.each([
  ['http://127.0.0.1:8080/', true],
  ['http://[::1]/', true],
  ['http://localhost/', true],
  ['https://127.0.0.1/', true],
  ['http://example.com/', false],
  ['http://8.8.8.8/', false],
  ['ftp://127.0.0.1/', false],
])('where this host is allowed, %s is %s', (url, isAllowed) => {
  expect(parseWebhookUrl(url, local) !== undefined).toBe(isAllowed);
});
