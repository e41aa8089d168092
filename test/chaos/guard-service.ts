// A business service with a guard in its process, or several with one each: every request that a guard allows is answered as
// one of ours would be.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuard, type Decision, type Guard } from '@portcullis/guard';

const { GUARD_URL = '', GUARD_SECRET = '', GUARD_LEASE_SECONDS = '10', GUARD_COUNT = '1' } = process.env;

const guards: Guard[] = [];

async function serve(): Promise<number> {
  const guard = await createGuard({
    url: GUARD_URL.split(','),
    secret: GUARD_SECRET,
    service: 'chaos',
    leaseSeconds: Number(GUARD_LEASE_SECONDS),
    onFailure: (cause) => process.stderr.write(`${String(cause)}\n`),
  });
  guards.push(guard);
  const server = createServer(async (request, response) => {
    const { method = '', url: target = '', rawHeaders, headers } = request;
    const decision: Decision = await guard.decide({ method, target, rawHeaders, headers });
    if (decision.allowed) response.end(JSON.stringify({ code: 200 }));
    else response.writeHead(decision.status, { ...decision.headers }).end(decision.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** As many begin at once. */
const atOnce = 20;
const ports: number[] = [];
for (let count = Number(GUARD_COUNT); count > 0; count -= atOnce)
  ports.push(...(await Promise.all(Array.from({ length: Math.min(count, atOnce) }, serve))));
process.stdout.write(`${JSON.stringify({ msg: 'ready', ports })}\n`);
process.once('SIGTERM', async () => {
  await Promise.all(guards.map((guard) => guard.close()));
  process.exit(0);
});
