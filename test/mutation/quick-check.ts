// Runs the decision cases of the package's tests on the copy of the package in the given directory.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DecisionCase } from '../../packages/policy/test/decision-cases.ts';

const [, , copy = ''] = process.argv;
const load = (file: string) => import(pathToFileURL(join(copy, 'packages/policy', file)).href);
const { compile, decide }: typeof import('../../packages/policy/src/index.ts') = await load('src/index.ts');
const { decisionCases }: { decisionCases: readonly DecisionCase[] } = await load('test/decision-cases.ts');
const { rule }: typeof import('../../packages/policy/test/rule.ts') = await load('test/rule.ts');

for (const { rules, deny, allow } of decisionCases) {
  const snapshot = compile(rules.map(rule), 1);
  for (const [expected, lines] of [['deny', deny] as const, ['allow', allow] as const]) {
    for (const line of lines) {
      const [roleKey = '', method = '', ...path] = line.split(' ');
      if (decide(snapshot, roleKey, method, path.join(' ')) !== expected) process.exit(1);
    }
  }
}
