// Loads the access snapshot of a guard from the decision listener: a manifest and its parts. An incomplete or malformed
// snapshot is an error. The guard then keeps its current memory until its lease ends.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type AccessSource,
  atLeastQuery,
  compileSchema,
  guardManifest,
  guardPartsPath,
  Manifest,
  SnapshotRecord,
} from '@portcullis/gate';
import { type Http, parseJson } from './http.ts';

const silenceMilliseconds = 5000;
const bodyMilliseconds = 30_000;
const mostCharacters = 256 * 1024 * 1024;
const decompress = promisify(gunzip);

export function createReadAll(http: Http): AccessSource['readAll'] {
  const isManifest = compileSchema(Manifest);
  const isPiece = compileSchema(SnapshotRecord);

  async function readManifest(atLeast: number): Promise<Manifest> {
    const { method, path } = guardManifest;
    const manifest = await http.json({ method, path: path + atLeastQuery(atLeast), silenceMilliseconds });
    if (!isManifest(manifest))
      throw new Error('The decision listener sends a manifest that this guard cannot read.');
    return manifest;
  }

  async function fetchPart(hash: string): Promise<Buffer> {
    const path = guardPartsPath + hash;
    const part = await http.bytes({ method: 'GET', path, silenceMilliseconds, bodyMilliseconds });
    if (createHash('sha256').update(part).digest('hex') !== hash)
      throw new Error('The decision listener sends a part that is not the one that was asked for.');
    return part;
  }

  /** Resumes an interrupted load, at any instance: a part that was fetched is used for every manifest that names it. */
  async function fetchAll(atLeast: number): Promise<{ manifest: Manifest; parts: Map<string, Buffer> }> {
    const parts = new Map<string, Buffer>();
    for (;;) {
      const manifest = await readManifest(atLeast);
      const before = parts.size;
      try {
        for (const hash of manifest.parts) if (!parts.has(hash)) parts.set(hash, await fetchPart(hash));
        return { manifest, parts };
      } catch (error) {
        if (parts.size === before) throw error;
      }
    }
  }

  return async (take, atLeast = 0) => {
    const { manifest, parts } = await fetchAll(atLeast);
    for (const hash of manifest.parts) {
      const lines = await decompress(parts.get(hash) ?? '', { maxOutputLength: mostCharacters });
      parts.delete(hash);
      for (const line of lines.toString('utf8').split('\n')) {
        const piece = parseJson(line);
        if (!isPiece(piece))
          throw new Error('The decision listener sends something that this guard cannot read.');
        await take(piece);
      }
    }
    return { n: manifest.n, mark: manifest.mark };
  };
}
