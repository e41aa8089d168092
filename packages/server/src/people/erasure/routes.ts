// HTTP routes of the erasure of a person, and of the export of the personal data. The erasure is answered when it is finished, or
// after 20 seconds: then the instances continue in the background, and the same call returns the progress.
import {
  type Call,
  eraseUserEndpoint,
  exportUserEndpoint,
  type Pieces,
  type Route,
  route,
} from '@portcullis/contract';
import { createConcurrencyLimit } from '../../base/limit/concurrency-limit.ts';
import { revisionHeader } from '../../cluster/answer-write.ts';
import { type BeginOptions, createBeginErasure, findPerson } from './begin-erasure.ts';
import { findAccount } from './erasure-store.ts';
import type { ErasureWork, ErasureWorkOptions, Pace } from './erasure-work.ts';
import { exportPerson } from './export-person.ts';

interface ErasureRoutesOptions extends BeginOptions, Pick<ErasureWorkOptions, 'namesOf'> {
  readonly work: Pick<ErasureWork, 'goOn'>;
  readonly monotonic: () => number;
  /** Reports the progress to a caller without a time limit (the command line), which waits for the end. */
  readonly onErased?: Pace['onProgress'];
}

const answerMilliseconds = 20_000;
const mostExports = 8;

export function erasureRoutes(options: ErasureRoutesOptions): Route[] {
  const { store, work, monotonic, onErased } = options;
  const begin = createBeginErasure(options);
  const exports = createConcurrencyLimit(mostExports);

  async function* exported(call: Call<typeof exportUserEndpoint>): Pieces {
    const { id } = call.params;
    await findPerson(options, call.caller, id);
    const person = { userId: id, username: (await findAccount(store, id))?.username };
    yield* exportPerson(options, person, call.caller, call.signal);
  }

  return [
    route(eraseUserEndpoint, async (call) => {
      const { id } = call.params;
      call.setHeader(revisionHeader, String(await begin(call, id)));
      const endsAt = monotonic() + answerMilliseconds;
      const isOver = () => onErased === undefined && monotonic() > endsAt;
      return { data: await work.goOn(id, { isOver, onProgress: onErased }) };
    }),
    route(exportUserEndpoint, (call) => {
      call.setHeader('content-disposition', `attachment; filename="user-${call.params.id}.json"`);
      return exports.hold(() => exported(call));
    }),
  ];
}
