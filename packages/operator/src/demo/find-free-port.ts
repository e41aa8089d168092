// Finds a free port on this host for the demo.
import { createServer } from 'node:net';

/** The wanted port. If it is in use: another port, or undefined. */
export async function findFreePort(wanted: number, mayBeAnother: boolean): Promise<number | undefined> {
  return (await tryPort(wanted)) ?? (mayBeAnother ? await tryPort(0) : undefined);
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });
}
