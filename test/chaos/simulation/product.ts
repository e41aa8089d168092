// The product's own files, as they are or with a fault planted in one of them. What reads or changes nothing of its
// surroundings is taken as it is; what it is given is simulated.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Planting, planted } from '../../weaknesses/weakness.ts';

const root = new URL('../../../', import.meta.url);
const gateFolder = new URL('packages/gate/src/', root).href;
const barrierFile = new URL('packages/server/src/cluster/barrier.ts', root).href;

type Gate = typeof import('@portcullis/gate');
type DatabaseClockFile = typeof import('../../../packages/gate/src/member/database-clock.ts');
type BarrierFile = typeof import('../../../packages/server/src/cluster/barrier.ts');

export interface Product
  extends Pick<
      Gate,
      | 'createFollower'
      | 'createGuardMember'
      | 'createLease'
      | 'createMember'
      | 'createPushedSource'
      | 'createRelay'
      | 'HistoryLost'
    >,
    Pick<DatabaseClockFile, 'createDatabaseClock'>,
    Pick<BarrierFile, 'createBarrier'> {}

/** Each of them is loaded anew, as a separate module; what it imports of the product too. */
let loadings = 0;

export async function loadProduct(fault?: Planting): Promise<Product> {
  loadings += 1;
  const query = `?simulation=${loadings}`;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isOwn = resolved.url.startsWith(gateFolder) || resolved.url === barrierFile;
      return isOwn && context.parentURL?.endsWith(query)
        ? { ...resolved, url: resolved.url + query }
        : resolved;
    },
    load(url, context, next) {
      if (fault === undefined || url !== new URL(fault.file, root).href + query) return next(url, context);
      const source = planted(fault, readFileSync(fileURLToPath(url), 'utf8'));
      return { format: 'module-typescript', source, shortCircuit: true };
    },
  });
  try {
    const gate: Gate = await import(`${gateFolder}index.ts${query}`);
    const { createDatabaseClock }: DatabaseClockFile = await import(
      `${gateFolder}member/database-clock.ts${query}`
    );
    const { createBarrier }: BarrierFile = await import(barrierFile + query);
    return { ...gate, createDatabaseClock, createBarrier };
  } finally {
    hooks.deregister();
  }
}
