import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
} from '../../../../../test/rig/certificate-authority.ts';
import { createHostResolver } from '../../../src/base/outbound/host-resolver.ts';
import { createProviderFetch } from '../../../src/sign-in/providers/provider-fetch.ts';
import { ProviderUnavailable } from '../../../src/sign-in/providers/provider-unavailable.ts';

let authority: CertificateAuthority;
let server: Server;
let fetch: ReturnType<typeof createProviderFetch>;
let origin = '';

/** Answers with a text as long as the path says. */
beforeAll(async () => {
  authority = await createCertificateAuthority();
  server = createServer(await authority.certify(), ({ url = '' }, response) => {
    response.end(JSON.stringify('a'.repeat(Number(url.slice(1)))));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const allowedNetworks = ['127.0.0.0/8', '::1'];
  const authorities = [authority.certificate];
  fetch = createProviderFetch({ allowedNetworks, resolve: createHostResolver(), authorities });
});
afterAll(async () => {
  fetch.close();
  server.close();
  await authority[Symbol.asyncDispose]();
});

it('reads no answer that is longer than any provider’s', async () => {
  await expect(fetch(`${origin}/300000`, {})).rejects.toThrow(ProviderUnavailable);
  await expect(fetch(`${origin}/300000`, {})).rejects.toThrow('its answer is too large');
});

it('reads one that is not', async () => {
  expect(await (await fetch(`${origin}/200000`, {})).json()).toHaveLength(200_000);
});

it('asks no provider without TLS, and none at an address that is not public', async () => {
  await expect(fetch('http://sso.example.com/', {})).rejects.toThrow('http://sso.example.com is not https.');
  await expect(fetch('https://[fd00::1]/', {})).rejects.toThrow(
    '[fd00::1] is at an address that is not public. Where that is right, name its network in `provider.allowedNetworks`.',
  );
});
