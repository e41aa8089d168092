// Access as the decision listener gives it away. What is not whole and well formed is an error: the guard then keeps what it
// has until its lease is over.
import { createInterface } from 'node:readline';
import {
  type AccessSource,
  compileSchema,
  guardStreams,
  Piece,
  SnapshotEnd,
  snapshotQuery,
} from '@portcullis/gate';
import { type Http, parseJson } from './http.ts';

const silenceMilliseconds = 5000;

export function createReadAll(http: Http): AccessSource['readAll'] {
  const isPiece = compileSchema(Piece);
  const isEnd = compileSchema(SnapshotEnd);
  return async (take, atLeast = 0) => {
    const { method, path } = guardStreams.snapshot;
    const response = await http.open({ method, path: path + snapshotQuery(atLeast), silenceMilliseconds });
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
  };
}
