// Where a guard does not begin, and what it then says; how it is listed while it runs, and how it goes.
import { createGuard, type GuardOptions } from '@portcullis/guard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort, startTcpProxy } from '../../../test/rig/tcp-proxy.ts';
import { orders, outcome, outcomeNow, secret, startWorld, type World } from './world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const open = (options: Partial<GuardOptions> = {}) =>
  createGuard({ url: world.url, secret, service: 'orders', ...options });

describe('a guard does not begin, and says what to do', () => {
  it('with a wrong secret, or none', async () => {
    const text = /refuses the secret. Give the guard the value of `decision.secret`/;
    await expect(open({ secret: `${secret}x` })).rejects.toThrow(text);
    await expect(open({ secret: '' })).rejects.toThrow(text);
  });

  it('at the public port and at the operations port', async () => {
    const { port, opsPort } = world.service.server;
    for (const other of [port, opsPort])
      await expect(open({ url: `http://127.0.0.1:${other}` })).rejects.toThrow(
        /is no decision listener of this version: .* Check its port/,
      );
  });

  it('where the port refuses the connection', async () => {
    const url = `http://localhost:${await findFreePort()}`;
    await expect(open({ url, startSeconds: 0 })).rejects.toThrow(
      `${url} cannot be reached: ECONNREFUSED. Portcullis does not run there, or has no decision listener: it has one where \`decision.secret\``,
    );
  });

  it('for another mode than that of Portcullis', async () => {
    await expect(open({ dev: true })).rejects.toThrow(/no keys of this mode: `dev`/);
  });

  it('without an address, with a lease out of bounds, or with a name that cannot be listed', async () => {
    await expect(open({ url: [] })).rejects.toThrow('`url` is empty');
    await expect(open({ url: '' })).rejects.toThrow('`url` is empty');
    for (const url of ['localhost:8002', '127.0.0.1:8002', 'ftp://127.0.0.1'])
      await expect(open({ url: ['http://127.0.0.1:8002', url] })).rejects.toThrow(
        `\`url\` is \`${url}\`: write it with its scheme`,
      );
    await expect(open({ leaseSeconds: 1.9 })).rejects.toThrow('`leaseSeconds` lies between 2 and 10.');
    await expect(open({ leaseSeconds: 11 })).rejects.toThrow('`leaseSeconds` lies between 2 and 10.');
    await expect(open({ leaseSeconds: Number.NaN })).rejects.toThrow('`leaseSeconds` lies between 2 and 10.');
    for (const startSeconds of [-1, Number.NaN, 3601])
      await expect(open({ startSeconds })).rejects.toThrow('`startSeconds` lies between 0 and 3600.');
    await expect(open({ service: '' })).rejects.toThrow('`service` is a name of 1 to 64 characters.');
    await expect(open({ service: 'x'.repeat(65) })).rejects.toThrow('`service` is a name of');
  });

  it('and leaves no entry in the list of instances', async () => {
    await expect(open({ dev: true, service: 'misplaced' })).rejects.toThrow();
    expect(await listServices()).not.toContain('misplaced');
  });
});

describe('a guard', () => {
  it('is in the list of instances with the name of its service, until it is closed', async () => {
    const guard = await open({ service: 'stock: Lager 7' });
    // With the instance's next report.
    await expect.poll(listServices).toEqual(expect.arrayContaining(['orders', 'stock: Lager 7']));
    await guard.close();
    await expect.poll(listServices).not.toContain('stock: Lager 7');
  });

  it('refuses once it is closed, and may be closed twice', async () => {
    const failures: unknown[] = [];
    const guard = await open({ onFailure: (cause) => void failures.push(cause) });
    const token = await world.logIn('carl');
    expect(await outcome(guard, orders(token))).toBe('allowed');
    // A machine that stood still may have cost it a call before.
    failures.length = 0;
    await Promise.all([guard.close(), guard.close()]);
    expect(guard.isReady()).toBe(false);
    expect(await outcomeNow(guard, orders(token))).toBe('unavailable');
    expect(failures).toEqual([]);
  });

  it('begins once Portcullis answers, which it is asked for again', async () => {
    const failures: string[] = [];
    const proxy = await startTcpProxy({ port: Number(new URL(world.url).port) });
    proxy.refuse();
    const opening = open({
      url: `http://127.0.0.1:${proxy.port}`,
      onFailure: (cause) => void failures.push(String(cause)),
    });
    await expect.poll(() => failures).toContainEqual(expect.stringContaining('ECONNREFUSED'));
    await proxy.accept();
    const guard = await opening;
    expect(guard.status()).toMatchObject({ isReady: true, leaseLosses: 0 });
    await guard.close();
    await proxy.close();
  });

  it('waits between two tries of the start', async () => {
    const failures: unknown[] = [];
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const opening = open({ url, startSeconds: 1.2, onFailure: (cause) => void failures.push(cause) });
    await expect(opening).rejects.toThrow('ECONNREFUSED');
    // Half a second each at least; the last one is thrown.
    expect(failures.length).toBeLessThanOrEqual(2);
  });

  it('continues with the second address where the first does not answer', async () => {
    const guard = await open({ url: [`http://127.0.0.1:${await findFreePort()}`, world.url] });
    const token = await world.logIn('carl');
    expect(await outcome(guard, orders(token))).toBe('allowed');
    await world.service.send({
      method: 'POST',
      path: '/api/v1/logout',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await outcome(guard, orders(token))).toBe('token_revoked');
    await guard.close();
  });
});

async function listServices(): Promise<unknown[]> {
  const { body } = await world.administer('GET', '/api/v1/instances');
  const { items } = body.data as { items: { guards: { service: string }[] }[] };
  return items.flatMap(({ guards }) => guards.map(({ service }) => service));
}
