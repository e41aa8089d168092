// Spec, Events: a stop loses no attempt. SIGTERM finishes what is in flight, flushes the login log, and exits 0.

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startService } from '../rig/start-service.ts';
import { eventually } from './eventually.ts';
import { expectSuccess } from './expect-refusal.ts';
import { anyMode } from './modes.ts';

describe.each(anyMode)('in mode %s', (mode) => {
  it('finishes a request in flight, accepts no new one, and exits 0 [what-the-service-does-s1] [events-s1]', async () => {
    const service = await startService({ mode });
    try {
      const { process, port } = service.server;
      const inFlight = service.send({
        method: 'POST',
        path: '/api/v1/waits',
        headers: { connection: 'close' },
      });
      await process.waitForLine(/the handler waits/);
      process.signal('SIGTERM');
      await eventually(() => canConnect(port)).toBe(false);
      const answer = await inFlight;
      expectSuccess(answer);
      expect(answer.body.data).toEqual({ done: 'waited' });
      expect(await process.exited).toBe(0);
    } finally {
      await service.stop();
    }
  });

  it('writes every attempt that was answered before it exits [events-s1] [what-the-service-does-s5]', async () => {
    const service = await startService({ mode });
    try {
      const unlock = await service.database.lock('login_log');
      for (let count = 0; count < 20; count += 1)
        await service.logIn('carl', count % 2 === 0 ? undefined : 'wrong');
      service.server.process.signal('SIGTERM');
      await eventually(() => canConnect(service.server.port)).toBe(false);
      await unlock();
      expect(await service.server.process.exited).toBe(0);
      const rows = await service.database.query(
        'select reason, count(*)::int as rows from login_log group by reason order by reason',
      );
      expect(rows).toEqual([
        { reason: 'credentials_wrong', rows: 10 },
        { reason: 'ok', rows: 10 },
      ]);
    } finally {
      await service.stop();
    }
  });

  it('stops in order where SIGTERM comes while it begins to listen [what-the-service-does-s1]', async () => {
    const service = await startService({ mode, settings: { NODE_OPTIONS: `--import=${stopsAsItListens}` } });
    try {
      expect(await service.server.process.exited).toBe(0);
    } finally {
      await service.stop();
    }
  });
});

const stopsAsItListens = `data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:net';
  const { listen } = Server.prototype;
  Server.prototype.listen = function (...words) {
    // Not the socket in the spool's folder.
    if (words[0].port !== undefined) {
      Server.prototype.listen = listen;
      this.once('listening', () => process.kill(process.pid, 'SIGTERM'));
    }
    return listen.apply(this, words);
  };
`)}`;

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
