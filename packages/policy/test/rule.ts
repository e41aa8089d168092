// Makes rules for tests from lines such as `editor GET /articles/:id`. Throws where the grammar refuses.
import { compile, parseRule, type Rule, type Snapshot } from '../src/index.ts';

export function rule(line: string): Rule {
  const [roleKey = '', method = '', path = ''] = line.split(' ');
  const parsed = parseRule({ roleKey, method, path });
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.rule;
}

export function snapshotOf(...lines: string[]): Snapshot {
  return compile(lines.map(rule), 1);
}
