// Access as the decision listener gives it away. What is not whole and well formed is an error: the guard then keeps what it
// has until its lease is over.
import { createInterface } from 'node:readline';
import { type AccessSource, isPiece, type Revision, readChanges } from '@portcullis/gate';
import { type Http, parseJson } from './http.ts';

const silenceMilliseconds = 5000;

export function createHttpSource(http: Http): AccessSource {
  return {
    async listRevisionsFrom(n) {
      const path = `/guard/v1/revisions?from=${n}`;
      const answer = await http.json({ method: 'GET', path, silenceMilliseconds });
      const { revisions } = (answer ?? {}) as { revisions?: unknown };
      if (!Array.isArray(revisions)) throw new Error('The decision listener lists no revisions.');
      return revisions.map((revision: unknown) => ({
        ...readRevision(revision),
        changes: readChanges((revision as { changes?: unknown }).changes),
      }));
    },
    async readAll(take) {
      const response = await http.open({ method: 'GET', path: '/guard/v1/snapshot', silenceMilliseconds });
      try {
        for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
          const piece = parseJson(line);
          if ((piece as { kind?: unknown } | null)?.kind === 'end') return readRevision(piece);
          if (!isPiece(piece))
            throw new Error('The decision listener sends something that this guard cannot read.');
          await take(piece);
        }
        throw new Error('The decision listener broke off while it sent everything.');
      } finally {
        // Else one that is not read to its end would keep the listener's transaction open.
        response.destroy();
      }
    },
  };
}

export function readRevision(value: unknown): Revision {
  const { n, mark } = (value ?? {}) as Partial<Revision>;
  if (!Number.isSafeInteger(n) || typeof mark !== 'string')
    throw new Error('The decision listener names no revision.');
  return { n: n as number, mark };
}
