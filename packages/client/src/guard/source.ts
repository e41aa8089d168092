// Access as the decision listener gives it away. What is not whole and well formed is an error: the guard then keeps what it
// has until its lease is over.
import { createInterface } from 'node:readline';
import {
  type AccessSource,
  compileSchema,
  createReadChanges,
  fromQuery,
  guardCalls,
  guardStreams,
  Piece,
  SnapshotEnd,
  withTemporaryRules,
} from '@portcullis/gate';
import { createAsk } from './ask.ts';
import { type Http, parseJson } from './http.ts';

const silenceMilliseconds = 5000;

export function createHttpSource(http: Http): AccessSource {
  const askRevisions = createAsk(http, guardCalls.revisions, silenceMilliseconds);
  const readChanges = createReadChanges();
  const isPiece = compileSchema(Piece);
  const isEnd = compileSchema(SnapshotEnd);
  return {
    async listRevisionsFrom(n) {
      const { revisions } = await askRevisions({ query: fromQuery(n) });
      return revisions.map(({ n, mark, changes }) => ({ n, mark, changes: readChanges(changes) }));
    },
    async readAll(take) {
      const { method, path } = guardStreams.snapshot;
      const response = await http.open({ method, path: path + withTemporaryRules, silenceMilliseconds });
      try {
        for await (const line of createInterface({ input: response, crlfDelay: Number.POSITIVE_INFINITY })) {
          const piece = parseJson(line);
          if (isEnd(piece)) return { n: piece.n, mark: piece.mark };
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
