// `portcullis rules`: lists, grants, revokes and explains rules.
import {
  changeRulesEndpoint,
  changeTemporaryRulesEndpoint,
  explainEndpoint,
  routeName,
} from '@portcullis/contract';
import { findRuleProblem } from '@portcullis/policy';
import { type Command, InvalidArgumentError } from 'commander';
import type { Operator } from '../../../compose-operator.ts';
import { countOf } from '../../../terminal/count-of.ts';
import { enforcementOf } from '../../../terminal/enforcement.ts';
import { CommandFailure, exitCodes } from '../../../terminal/exit-codes.ts';
import { getUserNamed } from '../../../terminal/get-named.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, paint, plain, table } from '../../../terminal/output.ts';
import { withOperator } from '../../with-store.ts';
import { getRole, readRoles, readRules, readTemporaryRules, refuseAdmin } from '../role-rules.ts';
import { addRuleFiles } from './rule-file-commands.ts';
import { addRuleHistory } from './rule-history.ts';

export function addRules(program: Command): void {
  const rules = program.command('rules').description('What roles may call.');
  addList(rules);
  addGrant(rules);
  addRevoke(rules);
  addExplain(rules);
  addRuleFiles(rules);
  addRuleHistory(rules);
  addExamples(rules, 'portcullis rules list --role clerk');
}

function addList(rules: Command): void {
  const list = rules
    .command('list')
    .description('List the rules of all roles, or of one.')
    .option('--role <key>', 'only of this role')
    .action(({ role: key }: { role?: string }) =>
      withOperator(list, async (operator) => {
        const roles =
          key === undefined ? (await readRoles(operator)).values() : [await getRole(operator, key)];
        const items: { roleKey: string; method: string; path: string; endsAt?: string }[] = [];
        for (const role of roles) {
          for (const rule of (await readRules(operator, role)).rules)
            items.push({ roleKey: role.roleKey, ...rule });
          for (const { method, path, endsAt } of await readTemporaryRules(operator, role))
            items.push({ roleKey: role.roleKey, method, path, endsAt });
        }
        const hasEnd = items.some(({ endsAt }) => endsAt !== undefined);
        outputOf(list).show({ items }, () =>
          items.length === 0
            ? 'There are no rules. Give one with `portcullis rules grant <role> <method> <path>`.'
            : table(
                ['Role', 'Method', 'Path', ...(hasEnd ? ['Until'] : [])],
                items.map(({ roleKey, method, path, endsAt = '' }) => [
                  roleKey,
                  method,
                  path,
                  ...(hasEnd ? [endsAt] : []),
                ]),
              ),
        );
      }),
    );
  addExamples(list, 'portcullis rules list --role clerk');
}

function addGrant(rules: Command): void {
  const grant = rules
    .command('grant')
    .description('Let a role call a path with a method.')
    .argument('<role>', 'key of the role')
    .argument('<method>', 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, or * for all')
    .argument('<path>', ':name stands for one segment, * at the end for all below')
    .option('--for <time>', 'for a while: 30m, 8h, 3d', parseTime)
    .action((roleKey: string, method: string, path: string, { for: seconds }: { for?: number }) => {
      const problem = findRuleProblem({ roleKey, method, path });
      if (problem !== undefined) return grant.error(problem);
      if (seconds !== undefined) return grantForAWhile(grant, roleKey, { method, path, seconds });
      return withOperator(grant, async (operator) => {
        const { role, hasRule } = await lookUp(operator, roleKey, { method, path });
        await operator.call(changeRulesEndpoint, {
          params: { id: role.id },
          body: { add: [{ method, path }] },
        });
        const { revision } = operator;
        outputOf(grant).show({ changed: !hasRule, revision }, () =>
          hasRule
            ? `${roleKey} may already call ${method} ${path}.`
            : `${roleKey} may call ${method} ${path}. ${enforcementOf(operator)}`,
        );
      });
    });
  addExamples(
    grant,
    "portcullis rules grant clerk GET '/api/v1/orders/:id'",
    "portcullis rules grant clerk DELETE '/api/v1/orders/1042' --for 8h",
  );
}

function grantForAWhile(
  grant: Command,
  roleKey: string,
  rule: { method: string; path: string; seconds: number },
): Promise<void> {
  return withOperator(grant, async (operator) => {
    refuseAdmin(roleKey);
    const role = await getRole(operator, roleKey);
    const params = { id: role.id };
    await operator.call(changeTemporaryRulesEndpoint, { params, body: { set: [rule] } });
    const { revision } = operator;
    const given = (await readTemporaryRules(operator, role)).find(
      (stored) => routeName(stored) === routeName(rule),
    );
    outputOf(grant).show(
      { changed: true, revision, endsAt: given?.endsAt },
      () =>
        `${roleKey} may call ${rule.method} ${rule.path} until ${given?.endsAt}. ${enforcementOf(operator)}`,
    );
  });
}

const units: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 };

function parseTime(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (units[unit] ?? Number.NaN);
  if (!(seconds <= 31 * 86_400))
    throw new InvalidArgumentError('Give minutes, hours or days, like 30m, 8h or 3d, and 31d at most.');
  return seconds;
}

function addRevoke(rules: Command): void {
  const revoke = rules
    .command('revoke')
    .summary('Take a rule from a role.')
    .description('Take a rule from a role; returns when every instance enforces it.')
    .argument('<role>', 'key of the role')
    .argument('<method>', 'as `rules list` shows it')
    .argument('<path>', 'as `rules list` shows it')
    .action((roleKey: string, method: string, path: string) =>
      withOperator(revoke, async (operator) => {
        const { role, hasRule } = await lookUp(operator, roleKey, { method, path });
        const isTemporary = (await readTemporaryRules(operator, role)).some(
          (rule) => routeName(rule) === routeName({ method, path }),
        );
        if (!hasRule && !isTemporary)
          throw new CommandFailure(
            `${roleKey} has no such rule. \`portcullis rules list --role ${roleKey}\` shows those it has.`,
          );
        const removal = { params: { id: role.id }, body: { remove: [{ method, path }] } };
        if (isTemporary) await operator.call(changeTemporaryRulesEndpoint, removal);
        if (hasRule) await operator.call(changeRulesEndpoint, removal);
        const { revision } = operator;
        outputOf(revoke).show(
          { changed: true, revision },
          () => `${roleKey} no longer has the rule ${plain(`${method} ${path}`)}. ${enforcementOf(operator)}`,
        );
      }),
    );
  addExamples(revoke, "portcullis rules revoke clerk DELETE '/api/v1/orders/:id'");
}

async function lookUp(operator: Operator, roleKey: string, rule: { method: string; path: string }) {
  refuseAdmin(roleKey);
  const role = await getRole(operator, roleKey);
  const { rules } = await readRules(operator, role);
  return { role, hasRule: rules.some((stored) => routeName(stored) === routeName(rule)) };
}

interface ExplainOptions {
  readonly role?: string;
  readonly user?: string;
}

function addExplain(rules: Command): void {
  const explain = rules
    .command('explain')
    .summary('Say whether a call is allowed, and why.')
    .description(
      'Say whether a role or a user may make a call, and why.\nExits with 0 if it is allowed, with 1 if it is refused.',
    )
    .argument('<method>', 'such as GET')
    .argument('<path>', 'as it would be called, without a query')
    .option('--role <key>', 'the role')
    .option('--user <username>', 'the user, instead of a role')
    .action((method: string, path: string, options: ExplainOptions) => {
      if ((options.role === undefined) === (options.user === undefined))
        return explain.error('Give either --role or --user.');
      return withOperator(explain, async (operator) => {
        const { data } = await operator.call(explainEndpoint, {
          query: { ...(await subjectOf(operator, options)), method, path },
        });
        const isAllowed = data.decision === 'allow';
        const others = data.nearest.slice(1).map(({ rule }) => routeName(rule));
        outputOf(explain).show(data, () =>
          [
            `${isAllowed ? paint('green', 'Allowed.') : paint('red', 'Refused.')} ${plain(data.sentence)}`,
            ...(others.length === 0 ? [] : [`${countOf(others.length, 'other')} near: ${others.join(', ')}`]),
          ].join('\n'),
        );
        process.exitCode = isAllowed ? exitCodes.done : exitCodes.refused;
      });
    });
  addExamples(
    explain,
    'portcullis rules explain DELETE /api/v1/orders/7 --role clerk',
    'portcullis rules explain GET /api/v1/orders --user mei',
  );
}

async function subjectOf(operator: Operator, { role, user }: ExplainOptions) {
  if (role !== undefined) return { roleKey: (await getRole(operator, role)).roleKey };
  return { userId: (await getUserNamed(operator, user ?? '')).id };
}
