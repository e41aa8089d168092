// A business service with a guard in its process: every request that the guard allows is answered as one of ours would be.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGuard, type Decision } from '@portcullis/client/guard';

const { GUARD_URL = '', GUARD_SECRET = '', GUARD_LEASE_SECONDS = '10' } = process.env;

const guard = await createGuard({
  url: GUARD_URL,
  secret: GUARD_SECRET,
  service: 'chaos',
  leaseSeconds: Number(GUARD_LEASE_SECONDS),
  onFailure: (cause) => process.stderr.write(`${String(cause)}\n`),
});

const server = createServer(async (request, response) => {
  const { method = '', url: target = '', rawHeaders, headers } = request;
  const decision: Decision = await guard.decide({ method, target, rawHeaders, headers });
  if (decision.allowed) response.end(JSON.stringify({ code: 200 }));
  else response.writeHead(decision.status, { ...decision.headers }).end(decision.body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', port })}\n`);
});
process.once('SIGTERM', async () => {
  await guard.close();
  process.exit(0);
});
