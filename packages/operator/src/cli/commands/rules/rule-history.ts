// `portcullis rules history` and `portcullis rules rollback`: lists past changes of a role's rules, and
// restores the rules of a revision.
import { listRuleHistoryEndpoint, rollbackRulesEndpoint } from '@portcullis/contract';
import type { Command } from 'commander';
import { confirmOrEnd } from '../../../terminal/ask.ts';
import { enforcementOf } from '../../../terminal/enforcement.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, shortMoment, table } from '../../../terminal/output.ts';
import { wholeNumber } from '../../../terminal/parse-argument.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { withOperator } from '../../with-store.ts';
import { getRole, readRules, refuseAdmin } from '../role-rules.ts';

export function addRuleHistory(rules: Command): void {
  addHistory(rules);
  addRollback(rules);
}

function addHistory(rules: Command): void {
  const history = rules
    .command('history')
    .summary('List the changes of the rules of a role.')
    .description("List the changes of a role's rules, newest first.")
    .requiredOption('--role <key>', 'the role')
    .option('--limit <n>', 'how many, at most 100', wholeNumber(100), 20)
    .action(({ role: key, limit }: { role: string; limit: number }) =>
      withOperator(history, async (operator) => {
        const { id } = await getRole(operator, key);
        const { data } = await operator.call(listRuleHistoryEndpoint, { params: { id }, query: { limit } });
        outputOf(history).show(data, () =>
          data.items.length === 0
            ? `The rules of ${key} have not changed yet.`
            : table(
                ['Revision', 'At', 'By', 'Added', 'Removed', 'Back to'],
                data.items.map(({ revision, at, by, added, removed, rolledBackTo }) => [
                  ...[revision, shortMoment(at), by.username, added.count, removed.count, rolledBackTo],
                ]),
              ),
        );
      }),
    );
  addExamples(history, 'portcullis rules history --role clerk');
}

function addRollback(rules: Command): void {
  const rollback = rules
    .command('rollback')
    .summary('Go back to the rules of a revision.')
    .description("Make a role's rules what they were after a revision.")
    .argument('<revision>', 'as `rules history` shows it', wholeNumber())
    .requiredOption('--role <key>', 'the role')
    .option('--yes', 'do not ask')
    .action((revision: number, { role: key, ...options }: { role: string; yes?: boolean }) =>
      withOperator(rollback, async (operator) => {
        refuseAdmin(key);
        const { role, revision: ifRevision } = await readRules(operator, await getRole(operator, key));
        await confirmOrEnd(
          `Make the rules of ${key} what they were after revision ${revision}? They are at ${ifRevision}.`,
          options,
        );
        await operator
          .call(rollbackRulesEndpoint, { params: { id: role.id }, body: { revision, ifRevision } })
          .catch(
            refusedAs({
              conflict: `Nothing was changed: the history of ${key} does not reach back as far. \`portcullis rules history --role ${key}\` shows it.`,
              revision_conflict: `Nothing was changed: the rules of ${key} were changed at the same time. Run the same command again.`,
            }),
          );
        outputOf(rollback).show(
          { revision: operator.revision, rolledBackTo: revision },
          () =>
            `The rules of ${key} are what they were after revision ${revision}. ${enforcementOf(operator)}`,
        );
      }),
    );
  addExamples(rollback, 'portcullis rules rollback --role clerk 41');
}
