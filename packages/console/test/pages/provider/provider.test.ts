import { expect, it } from 'vitest';
import { addressOf, type Provider } from '../../../src/pages/provider/provider.ts';

it.each([
  [{ issuer: 'https://id.example.com' }, 'https://id.example.com'],
  [{ url: 'ldaps://directory.example.com' }, 'ldaps://directory.example.com'],
  [{ authorizationUrl: 'https://login.example.com/authorize' }, 'https://login.example.com/authorize'],
  [{}, ''],
  [{ preset: 'feishu', authorizationUrl: 'https://ignored.example.com' }, 'Feishu'],
])('shows where the provider of %j is', (settings, address) => {
  const provider = { settings: settings as unknown as Provider['settings'] };
  expect(addressOf(provider, { feishu: 'Feishu' } as Parameters<typeof addressOf>[1])).toBe(address);
});
