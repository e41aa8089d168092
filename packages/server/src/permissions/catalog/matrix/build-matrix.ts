// The cells of the access matrix: what each role may do with each route, by its rules alone. Whether the role is
// enabled, and whether the route asks for a rule at all, stands beside them.
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
  /** In the order of the role keys, a character a route. */
  readonly cells: readonly string[];
  readonly complete: boolean;
}

export async function buildMatrix({ routes, roleKeys, rules, mostSteps }: MatrixInput): Promise<Matrix> {
  const effort = createWorkLimit(mostSteps);
  const tree = createRuleTree(roleKeys.length);
  const places = new Map(roleKeys.map((roleKey, place) => [roleKey, place]));
  /** Of the role whose rules are in turn. */
  let holder = 0;
  function* rulesInOrder() {
    for (const { roleKey, texts } of rules) {
      const place = places.get(roleKey);
      if (place === undefined) continue;
      holder = place;
      yield texts;
    }
  }
  for await (const turn of inTurns(rulesInOrder())) for (const rule of turn) tree.add(rule, holder);
  // As bytes: hundreds of thousands of texts of one character would cost more than finding out what they are.
  const cells = roleKeys.map((roleKey) => Buffer.alloc(routes.length, roleKey === 'admin' ? 'a' : '-'));
  let column = 0;
  const put = (cell: MatrixCell, holders: Holders) => {
    const code = cell.charCodeAt(0);
    eachHolder(holders, (place) => {
      const ofRole = cells[place];
      if (ofRole !== undefined) ofRole[column] = code;
    });
  };
  const admin = places.get('admin');
  for await (const turn of inTurns([routes]))
    for (const route of turn) {
      const { named, all, some } = await tree.find(route, effort);
      if (some !== all) put('s', some);
      put('a', all);
      if (admin !== undefined) cells[admin]?.write('a', column);
      put('r', named);
      column += 1;
    }
  return { cells: cells.map((ofRole) => ofRole.toString('latin1')), complete: !isGivenUp(effort) };
}
