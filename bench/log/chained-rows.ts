// Generates records of the test population with their positions in a hash chain, with the product's own code.
import { randomBytes, randomUUID } from 'node:crypto';
import { createUuidV7Source } from '../../packages/server/src/cluster/store/uuid-v7.ts';
import { type Chain, createChain } from '../../packages/server/src/logs/login-log/chain.ts';
import { createClientFacts } from '../../packages/server/src/logs/login-log/client-facts.ts';
import { createLoginRecord } from '../../packages/server/src/logs/login-log/login-record.ts';
import { type ChainedRow, type LoginRow, rowOf } from '../../packages/server/src/logs/login-log/login-row.ts';
import { createPseudonymize } from '../../packages/server/src/logs/login-log/pseudonym.ts';
import { createAttempt } from './attempts.ts';

export type MakeRow = (at: number) => LoginRow;

export async function createRowMaker(): Promise<MakeRow> {
  const describeClient = await createClientFacts({ geoipFile: '', monotonic: () => performance.now() });
  const nextId = createUuidV7Source(randomBytes);
  const instance = randomUUID();
  const hideName = createPseudonymize(randomBytes(32));
  return (at) => {
    const attempt = createAttempt();
    const stamp = { id: nextId(at), at: new Date(at), instance };
    return rowOf(createLoginRecord(attempt, stamp, describeClient(attempt), hideName));
  };
}

export function createBenchChain(): Chain {
  return createChain(randomBytes(32), randomUUID());
}

export function chainedRows(makeRow: MakeRow, chain: Chain, count: number): ChainedRow[] {
  return Array.from({ length: count }, () => chain.add(makeRow(Date.now())));
}
