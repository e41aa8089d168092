import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHostResolver } from '../../../src/base/outbound/host-resolver.ts';
import { createAnchors, createFolderAnchor, createUrlAnchor } from '../../../src/logs/evidence/anchors.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const accept: Answer = (_request, response) => void response.end();
let answer: Answer;
let received: string[];
const server = createServer(async (request, response) => {
  received.push(`${request.method} ${request.url} ${await text(request)}`);
  answer(request, response);
});
const { signal } = new AbortController();
let folder: string;
let origin: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  received = [];
  answer = accept;
  folder = await mkdtemp(join(tmpdir(), 'portcullis-anchors-'));
  return () => rm(folder, { recursive: true });
});

const at = new Date('2026-11-16T18:00:00.123Z');
const sendTo = (path: string, stopping = signal) =>
  createUrlAnchor(`${origin}${path}`, createHostResolver(), stopping)('heads', at);

describe('an address', () => {
  it('is sent the heads with POST', async () => {
    await sendTo('/heads?key=1');
    expect(received).toEqual(['POST /heads?key=1 heads']);
  });

  it('that leads elsewhere is not followed', async () => {
    answer = (request, response) => {
      if (request.url === '/elsewhere') return accept(request, response);
      response.writeHead(307, { location: `${origin}/elsewhere` }).end();
    };
    await expect(sendTo('/heads?key=canary')).rejects.toThrow('No answer from `logger.anchorUrl`');
    expect(received).toHaveLength(1);
  });

  it.each([404, 500])(
    'that answers %i has not kept them, and is not named with its secret',
    async (status) => {
      answer = (_request, response) => void response.writeHead(status).end();
      const failure: unknown = await sendTo('/heads?key=canary').catch((error: unknown) => error);
      expect(String(failure)).toContain(`answered ${status}`);
      expect(String(failure)).not.toContain('canary');
    },
  );

  it('that never answers does not delay a stop', async () => {
    const stopping = new AbortController();
    answer = () => stopping.abort();
    await expect(sendTo('/', stopping.signal)).rejects.toThrow('No answer');
  });
});

describe('a folder', () => {
  it('has a file for each text, and none that is half written', async () => {
    const send = createFolderAnchor(folder);
    await Promise.all([send('one', at), send('other', at)]);
    const files = await readdir(folder);
    expect(files).toHaveLength(2);
    for (const file of files) expect(file).toMatch(/^heads-20261116T180000123Z-[0-9a-f]{8}\.json$/);
    const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
    expect(texts.sort()).toEqual(['one', 'other']);
  });

  it('that is not there is a failure', async () => {
    await expect(createFolderAnchor(join(folder, 'none'))('one', at)).rejects.toThrow('ENOENT');
  });
});

describe('the heads', () => {
  function createWorld(failures: number) {
    const world = { reached: 'a', sent: [] as string[], tries: 0, reported: [] as string[] };
    const send = async (sent: string) => {
      world.tries += 1;
      if (world.tries <= failures) throw new Error('away');
      world.sent.push(sent);
    };
    const anchors = createAnchors({
      targets: { folder: send },
      write: async () => {
        if (world.reached === '') throw new Error('Postgres is away');
        return { text: `text ${world.reached}`, reached: world.reached };
      },
      onFailure: (_cause, what) => world.reported.push(what),
      now: Date.now,
      pauseMilliseconds: 1,
    });
    return { world, anchors };
  }

  it('are sent when a log has grown, and not again', async () => {
    const { world, anchors } = createWorld(0);
    await anchors.send();
    await anchors.send();
    world.reached = 'b';
    await anchors.send();
    expect(world.sent).toEqual(['text a', 'text b']);
    expect(anchors.status()).toEqual({ folder: { sent: 2, failed: 0 } });
  });

  it('are tried three times, then reported and counted, and sent in the next round', async () => {
    const { world, anchors } = createWorld(3);
    await anchors.send();
    expect(world).toMatchObject({ tries: 3, sent: [] });
    expect(world.reported).toEqual(['the heads of the logs were not kept: anchor folder']);
    expect(anchors.status()).toEqual({ folder: { sent: 0, failed: 1 } });
    await anchors.send();
    expect(world.sent).toEqual(['text a']);
  });

  it('that cannot be written are reported and counted', async () => {
    const { world, anchors } = createWorld(0);
    world.reached = '';
    await anchors.send();
    expect(world.reported).toEqual(['the heads of the logs could not be written']);
    expect(anchors.status()).toEqual({ folder: { sent: 0, failed: 1 } });
  });
});
