// Portcullis with one additional endpoint, which only runs password hashes in the same process for a given time.
import { verify } from '@node-rs/argon2';
import { dataReply, defineEndpoint } from '@portcullis/contract';
import { route, serve } from '@portcullis/server';
import { Type } from 'typebox';
import { passwordHash, wrongPassword } from './fixture.ts';

const bareHashes = defineEndpoint({
  method: 'POST',
  path: '/api/v1/bare-hashes',
  access: 'public',
  title: 'Hash for a while',
  body: Type.Object({ milliseconds: Type.Integer(), concurrency: Type.Integer() }),
  reply: dataReply(Type.Object({ hashesPerSecond: Type.Number() })),
});

async function hashFor(milliseconds: number, concurrency: number): Promise<number> {
  const startedAt = performance.now();
  let hashes = 0;
  const hashOn = async () => {
    for (; performance.now() - startedAt < milliseconds; hashes += 1)
      await verify(passwordHash, wrongPassword);
  };
  await Promise.all(Array.from({ length: concurrency }, hashOn));
  return hashes / ((performance.now() - startedAt) / 1000);
}

await serve({
  routes: [
    route(bareHashes, async ({ body }) => ({
      data: { hashesPerSecond: await hashFor(body.milliseconds, body.concurrency) },
    })),
  ],
});
