// The product gives Postgres two seconds to take a connection or to answer, and then answers with 503. Where a suite is
// not about that, a machine that stands still for so long is to fail none of its tests: every pool that is made after
// `usePatientPools` waits as long as it takes.
import pg from 'pg';
import { note } from './notes.ts';

const patienceMilliseconds = 60_000;
/** Of the product, for a connection and for an answer. What takes longer is counted, and a suite with more of them fails. */
const productMilliseconds = 2000;
const mostLate = 200;
const limits = ['statement_timeout', 'idle_in_transaction_session_timeout']
  .map((name) => `set ${name} = ${patienceMilliseconds}`)
  .join('; ');

/** Files of a worker share its pg, and one of them may have loaded this anew. */
const ProductPool: typeof pg.Pool = pg.Pool.name === 'PatientPool' ? Object.getPrototypeOf(pg.Pool) : pg.Pool;

class PatientPool extends ProductPool {
  constructor(options: pg.PoolConfig = {}) {
    super({
      ...options,
      connectionTimeoutMillis: patienceMilliseconds,
      query_timeout: patienceMilliseconds,
      async onConnect(client) {
        const query = client.query.bind(client) as (
          question: unknown,
          ...rest: unknown[]
        ) => Promise<unknown>;
        const patient = (question: unknown, ...rest: unknown[]) =>
          tellLate('an answer of Postgres', query(withoutLimit(question), ...rest));
        client.query = patient as typeof client.query;
        await options.onConnect?.(client);
        await query(limits);
      },
    });
    const connect = this.connect.bind(this) as (...how: unknown[]) => unknown;
    const patient = (...how: unknown[]) => tellLate('a connection to Postgres', connect(...how));
    this.connect = patient as typeof this.connect;
  }
}

/** A cursor is no promise, and passes as it is; so does a call with a callback. */
function tellLate<Answer>(what: string, answer: Answer): Answer {
  if (!(answer instanceof Promise)) return answer;
  const startedAt = performance.now();
  const tell = () => {
    if (performance.now() - startedAt > productMilliseconds)
      note('late', `${what} after the limit of the product`, mostLate);
  };
  // What fails late would have failed at the limit too.
  answer.then(tell, () => {});
  return answer;
}

/** What is asked with a separate limit. */
function withoutLimit(question: unknown): unknown {
  const isLimited = typeof question === 'object' && question !== null && 'query_timeout' in question;
  return isLimited ? { ...question, query_timeout: patienceMilliseconds } : question;
}

export function usePatientPools(): void {
  Object.assign(pg, { Pool: PatientPool });
}

/** For tests of the limits themselves: a pool that is made meanwhile has those of the product. */
export function withProductPools<Made>(make: () => Made): Made {
  Object.assign(pg, { Pool: ProductPool });
  try {
    return make();
  } finally {
    usePatientPools();
  }
}
