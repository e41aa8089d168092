// Computes the cells of the access matrix: what each role can call of each route by its rules. The cells ignore whether
// the role is enabled and whether the route needs a rule; the reply lists both beside them.
import type { MatrixCell, MatrixRoute } from '@portcullis/contract';
import { eachHolder, type Holders } from '../holders.ts';
import type { RulesOfRole } from '../role-rule-store.ts';
import { createRuleTree } from '../rule-tree.ts';
import { createWorkLimit, isGivenUp } from '../work-limit.ts';
import { inTurns } from '../yielding.ts';

export interface MatrixInput {
  readonly routes: readonly MatrixRoute[];
  readonly roleKeys: readonly string[];
  readonly rules: readonly RulesOfRole[];
  readonly mostSteps?: number;
}

interface Matrix {
  /** One string for each role, in the order of the role keys, with one character for each route. */
  readonly cells: readonly string[];
  readonly complete: boolean;
}

export async function buildMatrix({ routes, roleKeys, rules, mostSteps }: MatrixInput): Promise<Matrix> {
  const workLimit = createWorkLimit(mostSteps);
  const tree = createRuleTree(roleKeys.length);
  const indexes = new Map(roleKeys.map((roleKey, index) => [roleKey, index]));
  /** The index of the role whose rules the loop adds now. */
  let holder = 0;
  function* rulesInOrder() {
    for (const { roleKey, texts } of rules) {
      const index = indexes.get(roleKey);
      if (index === undefined) continue;
      holder = index;
      yield texts;
    }
  }
  for await (const batch of inTurns(rulesInOrder())) for (const rule of batch) tree.add(rule, holder);
  // Buffers, because hundreds of thousands of one-character strings would cost more than computing the cells.
  const cells = roleKeys.map((roleKey) => Buffer.alloc(routes.length, roleKey === 'admin' ? 'a' : '-'));
  let column = 0;
  const put = (cell: MatrixCell, holders: Holders) => {
    const code = cell.charCodeAt(0);
    eachHolder(holders, (index) => {
      const ofRole = cells[index];
      if (ofRole !== undefined) ofRole[column] = code;
    });
  };
  const admin = indexes.get('admin');
  for await (const batch of inTurns([routes]))
    for (const route of batch) {
      const { named, all, some } = await tree.find(route, workLimit);
      if (some !== all) put('s', some);
      put('a', all);
      if (admin !== undefined) cells[admin]?.write('a', column);
      put('r', named);
      column += 1;
    }
  return { cells: cells.map((ofRole) => ofRole.toString('latin1')), complete: !isGivenUp(workLimit) };
}
