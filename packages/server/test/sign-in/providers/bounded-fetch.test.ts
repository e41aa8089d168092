import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
} from '../../../../../test/rig/certificate-authority.ts';
import { type BoundedFetch, createBoundedFetch } from '../../../src/sign-in/providers/bounded-fetch.ts';
import { ProviderUnavailable } from '../../../src/sign-in/providers/provider-unavailable.ts';
import { createSsrfGuard } from '../../../src/sign-in/providers/ssrf-guard.ts';

let authority: CertificateAuthority;
let server: Server;
let fetch: BoundedFetch;
let origin = '';

/** Answers with a text as long as the path says. */
beforeAll(async () => {
  authority = await createCertificateAuthority();
  server = createServer(await authority.certify(), ({ url = '' }, response) => {
    response.end(JSON.stringify('a'.repeat(Number(url.slice(1)))));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const network = createSsrfGuard(['127.0.0.0/8', '::1']);
  fetch = createBoundedFetch({ network, authorities: [authority.certificate] });
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
