// What a load makes of the manifest and its parts.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { SnapshotRecord } from '@portcullis/gate';
import { expect, it } from 'vitest';
import type { Http } from '../src/http.ts';
import { createReadAll } from '../src/source.ts';

const pieces = ['viewer', 'clerk', 'boss'].map((roleKey) => ({ kind: 'rules', roleKey, rules: [] }));
const parts = new Map<string, Buffer>();
for (const lines of [pieces.slice(0, 2), pieces.slice(2)]) {
  const part = gzipSync(lines.map((line) => JSON.stringify(line)).join('\n'));
  parts.set(createHash('sha256').update(part).digest('hex'), part);
}
const http = {
  json: async () => ({ n: 7, mark: 'm', parts: [...parts.keys()] }),
  bytes: async ({ path }: { path: string }) => parts.get(path.split('/').at(-1) ?? ''),
} as unknown as Http;

it('hands on one piece after the other, and resolves with the revision once the last one is taken', async () => {
  const seen: string[] = [];
  let isTaking = false;
  const revision = await createReadAll(http)(async (piece: SnapshotRecord) => {
    expect(isTaking).toBe(false);
    isTaking = true;
    await new Promise(setImmediate);
    isTaking = false;
    seen.push((piece as unknown as { roleKey: string }).roleKey);
  });
  expect(seen).toEqual(['viewer', 'clerk', 'boss']);
  expect(revision).toEqual({ n: 7, mark: 'm' });
});

it('rejects where a piece cannot be taken', async () => {
  const refusing = createReadAll(http)(async () => {
    throw new Error('no room');
  });
  await expect(refusing).rejects.toThrow('no room');
});
