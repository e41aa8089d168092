// The cells of the access matrix: what each role may do with each route, by its rules alone. Whether the role is
// enabled, and whether the route asks for a rule at all, stands beside them.
import { type MatrixCell, type MatrixRoute, type Reach, routeName } from '@portcullis/contract';
import { compile, parseRule, type Rule, type RuleText } from '@portcullis/policy';
import { isWithin } from '../../values/is-within.ts';
import { createEffort, isGivenUp } from '../close-overlaps.ts';
import { inTurns } from '../in-turns.ts';
import { createReachFinder } from '../reach-finder.ts';

interface MatrixInput {
  readonly routes: readonly MatrixRoute[];
  readonly roleKeys: readonly string[];
  readonly rules: AsyncIterable<readonly RuleText[]>;
  readonly mostSteps?: number;
}

interface Matrix {
  /** In the order of the role keys, a character a route. */
  readonly cells: readonly string[];
  readonly complete: boolean;
}

const cellOf: Readonly<Record<Reach, MatrixCell>> = { all: 'a', some: 's', none: '-' };

export async function buildMatrix(input: MatrixInput): Promise<Matrix> {
  const { routes, roleKeys } = input;
  const effort = createEffort(input.mostSteps);
  const finder = await createReachFinder(routes, effort);
  const texts = routes.map(routeName);
  const rulesOf = await gatherRules(input.rules);
  const cells: string[] = [];
  for (const roleKey of roleKeys) {
    const rules = rulesOf.get(roleKey) ?? [];
    const named = new Set(rules.map(routeName));
    const snapshot = compile(rules, 0);
    const reached =
      roleKey === 'admin'
        ? texts.map(() => 'all' as const)
        : await finder.find({ rules, allowsAll: (route) => isWithin(snapshot, roleKey, route) });
    const isNamed = (index: number) => named.has(texts[index] ?? '');
    cells.push(
      reached.map((reach, index) => (reach !== 'none' && isNamed(index) ? 'r' : cellOf[reach])).join(''),
    );
  }
  return { cells, complete: !isGivenUp(effort) };
}

/** A stored rule that does not parse is not in force. */
async function gatherRules(pages: MatrixInput['rules']): Promise<ReadonlyMap<string, Rule[]>> {
  const rulesOf = new Map<string, Rule[]>();
  for await (const turn of inTurns(pages))
    for (const text of turn) {
      const parsed = parseRule(text);
      if ('reason' in parsed) continue;
      const rules = rulesOf.get(text.roleKey);
      if (rules === undefined) rulesOf.set(text.roleKey, [parsed.rule]);
      else rules.push(parsed.rule);
    }
  return rulesOf;
}
